import { afterAll } from 'vitest';
import { sandboxContract } from './contract/contract.ts';
import { realCluster } from './real-cluster.ts';

const cluster = await realCluster();
afterAll(() => cluster[Symbol.asyncDispose]());

const images = [
  'busybox:1.36',
  'realk8s/debian:12',
  'realk8s/busybox-whole-sleep:1',
  'realk8s/busybox-bare:1',
  'realk8s/nonroot:1',
];
for (const image of images) sandboxContract(cluster, 'api', image);
for (const image of images.slice(0, 2)) sandboxContract(cluster, 'kubectl', image);
