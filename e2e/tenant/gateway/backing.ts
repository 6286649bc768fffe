import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import { startEmbeddedCluster } from '../../../src/embedded/cluster.ts';
import { type Road, roadTo } from './road.ts';

/** A Kubernetes that is a tenant's. */
export interface RunningBacking extends AsyncDisposable {
  readonly road: Road;
  /** The cluster's node, if it has one now. */
  readonly node: () => Promise<{ readonly expiry: 0 | string } | undefined>;
}

/** Brings a Kubernetes up for the cluster of that name. */
export type Backing = (name: string, signal: AbortSignal) => Promise<RunningBacking>;

export interface NodeTimes {
  readonly nodeDelayMs: number;
  readonly nodeHoldMs: number;
}

/** An embedded cluster each, whose node comes from zero and goes after a hold. */
export const embeddedBacking =
  (times: NodeTimes): Backing =>
  async (_name, signal) => {
    const folder = await mkdtemp(join(tmpdir(), 'tenant-cluster-'));
    const cluster = await startEmbeddedCluster({
      folder: join(folder, 'cluster'),
      clock: systemClock(),
      signal,
      ...times,
    });
    const road = await roadTo(cluster.kubeconfigPath);
    return {
      road,
      node: async () => ((await road.nodes()) > 0 ? { expiry: 0 } : undefined),
      async [Symbol.asyncDispose]() {
        await cluster[Symbol.asyncDispose]();
        await rm(folder, { recursive: true, force: true });
      },
    };
  };

/** The cluster of a kubeconfig that somebody else keeps up: every tenant's is the same, and it stays when one ends. */
export const givenBacking =
  (kubeconfig: string): Backing =>
  async () => {
    const road = await roadTo(kubeconfig);
    return {
      road,
      node: async () => ((await road.nodes()) > 0 ? { expiry: 0 } : undefined),
      async [Symbol.asyncDispose]() {},
    };
  };
