import { afterAll } from 'vitest';
import { clusterVenue } from './contract/cluster-venue.ts';
import { sandboxContract } from './contract/contract.ts';
import { bare, busybox, debian, nonRoot, wholeSleep } from './contract/images.ts';
import { realCluster } from './real-cluster.ts';

const cluster = await realCluster();
afterAll(() => cluster[Symbol.asyncDispose]());

for (const image of [busybox, debian, wholeSleep, bare, nonRoot])
  sandboxContract(clusterVenue(cluster, 'api'), image);
