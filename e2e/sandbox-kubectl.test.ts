import { afterAll } from 'vitest';
import { sandboxContract } from './contract/contract.ts';
import { busybox, debian } from './contract/images.ts';
import { realCluster } from './real-cluster.ts';

const cluster = await realCluster();
afterAll(() => cluster[Symbol.asyncDispose]());

for (const image of [busybox, debian]) sandboxContract(cluster, 'kubectl', image);
