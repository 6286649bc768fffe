import { RunnerError } from '../../base/errors.ts';
import { removeClusterFiles } from '../state/cluster-files.ts';
import { type Wait, waitUntilGone } from './wait-for-cluster.ts';

export interface Deleted {
  /** The files that were removed here. */
  readonly files: readonly string[];
  /** How many clusters the account has left. */
  readonly others: number;
}

/** Deletes the cluster, waits until it is gone, and removes its files here. */
export async function deleteCluster(wait: Wait, stateFolder: string): Promise<Deleted> {
  const { api, name, say, signal } = wait;
  const cluster = await api.read(name, signal);
  if (cluster === null) say(`the gateway has no cluster ${name}`);
  else {
    await api.delete(name, signal);
    await waitUntilGone(wait);
  }
  // Asked in another way: a wrong path in the profile is not found either, and a node must not be left running.
  const left = await api.list(signal);
  if (left.some((other) => other.name === name)) {
    throw new RunnerError(
      'CleanupFailed',
      `the gateway lists the cluster ${name}, but does not find it; is clusters.read of the profile right? Nothing was removed here`,
    );
  }
  return { files: await removeClusterFiles(stateFolder, name, cluster?.url ?? null), others: left.length };
}
