import { afterAll } from 'vitest';
import { clusterVenue } from './contract/cluster-venue.ts';
import { placeContract } from './contract/contract.ts';
import { realCluster } from './real-cluster.ts';

const cluster = await realCluster();
afterAll(() => cluster[Symbol.asyncDispose]());

placeContract(clusterVenue(cluster, 'api'));
