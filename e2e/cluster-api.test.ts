import { afterAll } from 'vitest';
import { clusterContract } from './contract/contract.ts';
import { realCluster } from './real-cluster.ts';

const cluster = await realCluster();
afterAll(() => cluster[Symbol.asyncDispose]());

clusterContract(cluster, 'api');
