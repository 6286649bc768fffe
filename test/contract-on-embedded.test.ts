import { afterAll } from 'vitest';
import { placeContract, sandboxContract } from '../e2e/contract/contract.ts';
import { busybox } from '../e2e/contract/images.ts';
import { embeddedCluster } from '../e2e/embedded-cluster.ts';

const cluster = await embeddedCluster();
afterAll(() => cluster[Symbol.asyncDispose]());

sandboxContract(cluster, 'api', busybox);
placeContract(cluster, 'api');
