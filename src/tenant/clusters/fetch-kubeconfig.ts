import { join } from 'node:path';
import { RunnerError } from '../../base/errors.ts';
import { keepPrivately } from '../state/state-folder.ts';
import { checkKubeconfig } from './check-kubeconfig.ts';
import { type Wait, waitUntilReady } from './wait-for-cluster.ts';

export const kubeconfigSuffix = '.kubeconfig.yaml';

export const kubeconfigPath = (stateFolder: string, name: string): string =>
  join(stateFolder, `${name}${kubeconfigSuffix}`);

/** The phase may be told a moment before there is a kubeconfig. */
const pauseMs = 1_000;

/** Waits until the cluster is Ready, and keeps its kubeconfig, 0600; resolves with the path. */
export async function fetchKubeconfig(wait: Wait, stateFolder: string): Promise<string> {
  const path = kubeconfigPath(stateFolder, wait.name);
  const text = await kubeconfigOf(wait);
  checkKubeconfig(text, wait.api.profile);
  await keepPrivately(path, text);
  return path;
}

async function kubeconfigOf(wait: Wait): Promise<string> {
  const { api, name, clock, timeoutMs, say, signal } = wait;
  const started = clock.now();
  for (let tries = 0; ; tries += 1) {
    await waitUntilReady(wait);
    const text = await api.kubeconfig(name, signal);
    if (text !== null) return text;
    if (tries === 0) say(`waits for the kubeconfig of ${name}: the gateway has none yet`);
    if (clock.now() - started + pauseMs > timeoutMs) {
      throw new RunnerError(
        'ReadyTimeout',
        `waited ${Math.round(timeoutMs / 1000)} s in vain for the kubeconfig of ${name}; repeat the command to wait on`,
      );
    }
    await clock.sleep(pauseMs, signal);
  }
}
