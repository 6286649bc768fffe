import { RunnerError } from '../../base/errors.ts';
import type { RunIdentity } from '../executor.ts';
import { networkPolicy } from './network-policy.ts';
import { paths } from './object-paths.ts';
import { anything, type PodObject } from './objects.ts';
import type { RunTarget } from './run-target.ts';

const attempts = 6;

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
  const { api, namespace, clock } = target;
  const body = networkPolicy(run, namespace, network, pod.metadata);
  for (let attempt = 1; ; attempt++) {
    try {
      await api.request({ method: 'POST', path: paths.networkPolicies(namespace), body, signal }, anything);
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof RunnerError)) throw error;
      if (error.code === 'AlreadyExists')
        return replaceStale(target, body, mayBeThere || attempt > 1, signal);
      if (!error.retry || attempt === attempts) throw error;
      await clock.sleep(error.retryAfterMs ?? 500, signal);
    }
  }
}

/** One of an earlier run of this name, whose pod is gone and which the cluster has not collected yet. */
async function replaceStale(
  { api, namespace, name }: RunTarget,
  body: unknown,
  mayBeOurs: boolean,
  signal: AbortSignal,
): Promise<void> {
  if (mayBeOurs) return;
  try {
    await api.request({ method: 'DELETE', path: paths.networkPolicy(namespace, name), signal }, anything);
  } catch (error) {
    if (!(error instanceof RunnerError && error.code === 'NotFound')) throw error;
  }
  await api.request({ method: 'POST', path: paths.networkPolicies(namespace), body, signal }, anything);
}
