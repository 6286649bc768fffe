import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RunnerError } from '../../base/errors.ts';
import { errorCodeOf } from '../../base/system-error.ts';
import { parseKubeConfig } from '../../kube/kube-config.ts';
import { kubeconfigPath, kubeconfigSuffix } from '../clusters/fetch-kubeconfig.ts';
import { readPrivateFile } from './read-private-file.ts';

/**
 * Removes the kubeconfig of a cluster, and every other in the folder that leads to its servers alone, as a
 * runner's narrow one; resolves with the paths. `url` is the server by the gateway's word.
 */
export async function removeClusterFiles(
  stateFolder: string,
  name: string,
  url: string | null,
): Promise<readonly string[]> {
  const own = kubeconfigPath(stateFolder, name);
  const servers = new Set([...(await serversOf(own)), ...(url === null ? [] : [url])].map(withoutSlash));
  const removed: string[] = [];
  for (const entry of await entriesOf(stateFolder)) {
    const path = join(stateFolder, entry);
    if (!entry.endsWith(kubeconfigSuffix)) continue;
    const leadsTo = (await serversOf(path)).map(withoutSlash);
    const isOfCluster = leadsTo.length > 0 && leadsTo.every((server) => servers.has(server));
    if (path !== own && !isOfCluster) continue;
    await removeFile(path);
    removed.push(path);
  }
  return removed;
}

/** Resolves also where there is no such file. */
export async function removeFile(path: string): Promise<void> {
  try {
    await rm(path, { force: true });
  } catch (error) {
    throw new RunnerError(
      'LocalWriteFailed',
      `${path} cannot be removed (${errorCodeOf(error)}); it may hold a credential: remove it yourself`,
      { cause: error },
    );
  }
}

const withoutSlash = (url: string): string => url.replace(/\/$/, '');

async function entriesOf(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch {
    return []; // there is nothing in a folder that is not there
  }
}

/** None for a file that is missing or is no kubeconfig. */
async function serversOf(path: string): Promise<readonly string[]> {
  try {
    const text = await readPrivateFile(path, 'the kubeconfig');
    const clusters = text === null ? [] : [...parseKubeConfig(text, path).clusters.values()];
    return clusters.flatMap(({ value }) => (value.server === undefined ? [] : [value.server]));
  } catch {
    return [];
  }
}
