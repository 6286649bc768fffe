import { afterAll } from 'vitest';
import { clusterVenue } from '../e2e/contract/cluster-venue.ts';
import { clusterContract, placeContract, sandboxContract } from '../e2e/contract/contract.ts';
import { busybox } from '../e2e/contract/images.ts';
import { embeddedCluster } from '../e2e/embedded-cluster.ts';

const cluster = await embeddedCluster();
afterAll(() => cluster[Symbol.asyncDispose]());

sandboxContract(clusterVenue(cluster, 'api'), busybox);
placeContract(clusterVenue(cluster, 'api'));
clusterContract(cluster, 'api');
