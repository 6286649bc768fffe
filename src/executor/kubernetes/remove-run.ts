import { withDeadline } from '../../base/deadline.ts';
import { messageOf, RunnerError } from '../../base/errors.ts';
import type { Closed } from '../executor.ts';
import { readJob } from './create-job.ts';
import { listPods } from './list-pods.ts';
import { annotations } from './object-names.ts';
import { paths } from './object-paths.ts';
import { anything } from './objects.ts';
import type { PodMonitor } from './pod-monitor.ts';
import type { RunTarget } from './run-target.ts';

/** After this long it is somebody else's to do; the message then says what. */
const patienceMs = 120_000;
const pauseMs = 1_000;

/**
 * Deletes the run's Job and waits until its pod is gone, then its NetworkPolicy. What cannot be removed within
 * two minutes is named. Aborting the signal leaves once the delete was sent.
 */
export async function removeRun(
  target: RunTarget,
  monitor: PodMonitor,
  network: boolean,
  signal: AbortSignal,
): Promise<Closed> {
  const { clock, observer } = target;
  monitor.expectEnd();
  const giveUpAt = clock.now() + patienceMs;
  let trouble = 'the API gave no reason';
  while (clock.now() < giveUpAt) {
    try {
      await deleteJob(target);
      const deadline = { name: 'the end of the pod', ms: giveUpAt - clock.now() };
      await withDeadline(clock, deadline, signal, (within) => podsGone(target, monitor, within));
      if (network) await deleteNetworkPolicy(target);
      return { deleted: true, kept: false, leftover: null };
    } catch (error) {
      trouble = messageOf(error);
      if (signal.aborted) break;
      observer.trace(`removing the run failed, trying again: ${trouble}`);
      await clock.sleep(pauseMs, signal).catch(() => {});
    }
  }
  return { deleted: false, kept: false, leftover: leftover(target, monitor, trouble) };
}

/** Under no signal but its own deadlines: a run that is left in a hurry has sent this. */
async function deleteJob(target: RunTarget): Promise<void> {
  const { api, namespace, name } = target;
  const job = await readJob(target);
  if (job?.metadata.annotations?.[annotations.id] !== target.runId) return; // gone, or somebody else's
  const body = deleteOptions(job.metadata.uid);
  try {
    await api.request({ method: 'DELETE', path: paths.job(namespace, name), body }, anything);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** The policy is always said: without one, a Job's pod is orphaned and its node stays. */
export const deleteOptions = (uid: string) => ({
  kind: 'DeleteOptions',
  apiVersion: 'v1',
  propagationPolicy: 'Background',
  preconditions: { uid },
});

async function podsGone(target: RunTarget, monitor: PodMonitor, signal: AbortSignal): Promise<void> {
  for (;;) {
    await monitor.gone(signal);
    if ((await listPods(target, signal)).length === 0) return;
    await target.clock.sleep(pauseMs / 5, signal);
  }
}

async function deleteNetworkPolicy({ api, namespace, name, observer }: RunTarget): Promise<void> {
  try {
    await api.request({ method: 'DELETE', path: paths.networkPolicy(namespace, name) }, anything);
  } catch (error) {
    // its owner is gone, so the cluster removes it by itself
    if (!isGone(error)) observer.trace(`deleting the NetworkPolicy failed: ${messageOf(error)}`);
  }
}

/** Not there any more, or another object of the same name. */
export const isGone = (error: unknown): boolean =>
  error instanceof RunnerError && (error.code === 'NotFound' || error.code === 'Conflict');

function leftover({ namespace, name }: RunTarget, monitor: PodMonitor, trouble: string): string {
  const pod = monitor.pod ? ` and its pod ${monitor.pod.metadata.name}` : '';
  return `the Job ${namespace}/${name}${pod} may be left (${trouble}); remove it with: kubectl delete job ${name} -n ${namespace}`;
}
