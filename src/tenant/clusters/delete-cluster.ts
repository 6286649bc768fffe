import { removeClusterFiles } from '../state/cluster-files.ts';
import { type Wait, waitUntilGone } from './wait-for-cluster.ts';

/** Deletes the cluster, waits until it is gone, and removes its files here; resolves with their paths. */
export async function deleteCluster(wait: Wait, stateFolder: string): Promise<readonly string[]> {
  const { api, name, say, signal } = wait;
  const cluster = await api.read(name, signal);
  if (cluster === null) say(`the gateway has no cluster ${name}`);
  else {
    await api.delete(name, signal);
    await waitUntilGone(wait);
  }
  return removeClusterFiles(stateFolder, name, cluster?.url ?? null);
}
