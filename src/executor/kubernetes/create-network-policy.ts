import { RunnerError } from '../../base/errors.ts';
import type { RunIdentity } from '../executor.ts';
import { networkPolicy } from './network-policy.ts';
import { paths } from './object-paths.ts';
import { anything, type PodObject } from './objects.ts';
import { outlastApi } from './outlast-api.ts';
import type { RunTarget } from './run-target.ts';

/**
 * In place before the first step. Its name and its owner, the pod, are this run's alone, so sending it again does
 * no harm. `mayBeThere`: for this very pod, from before.
 */
export async function createNetworkPolicy(
  target: RunTarget,
  run: RunIdentity,
  network: 'isolated' | 'none',
  pod: PodObject,
  mayBeThere: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { api, namespace } = target;
  const body = networkPolicy(run, namespace, network, pod.metadata);
  const path = paths.networkPolicies(namespace);
  await outlastApi(target, 'creating the NetworkPolicy', signal, async () => {
    try {
      await api.request({ method: 'POST', path, body, signal }, anything);
    } catch (error) {
      if (!(error instanceof RunnerError && error.code === 'AlreadyExists')) throw error;
      if (mayBeThere) return;
      await removeOther(target, signal);
      throw new RunnerError('AlreadyExists', error.message, { cause: error, retry: true });
    }
  });
}

/**
 * One of an earlier run of this name, whose pod is gone and which the cluster has not collected yet, or our own,
 * whose answer got lost; which of them cannot be asked, and no step needs it yet.
 */
async function removeOther({ api, namespace, name }: RunTarget, signal: AbortSignal): Promise<void> {
  try {
    await api.request({ method: 'DELETE', path: paths.networkPolicy(namespace, name), signal }, anything);
  } catch (error) {
    if (!(error instanceof RunnerError && error.code === 'NotFound')) throw error;
  }
}
