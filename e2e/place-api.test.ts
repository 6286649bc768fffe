import { afterAll } from 'vitest';
import { placeContract } from './contract/contract.ts';
import { realCluster } from './real-cluster.ts';

const cluster = await realCluster();
afterAll(() => cluster[Symbol.asyncDispose]());

placeContract(cluster, 'api');
