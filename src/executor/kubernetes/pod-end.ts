import { RunnerError } from '../../base/errors.ts';
import { containerName } from './job-manifest.ts';
import { annotations } from './object-names.ts';
import type { JobObject, PodObject } from './objects.ts';

type Terminated = NonNullable<
  NonNullable<
    NonNullable<NonNullable<PodObject['status']>['containerStatuses']>[number]['state']
  >['terminated']
>;

/** Why the run's pod has come, or is coming, to its end; undefined while it has not. Pure. */
export function diagnoseEnd(job: JobObject | undefined, pod: PodObject | undefined): RunnerError | undefined {
  const cancelledBy = job?.metadata.annotations?.[annotations.cancelledBy];
  const isLeaving = [job, pod].some((object) => object?.metadata.deletionTimestamp !== undefined);
  if (cancelledBy !== undefined && isLeaving) {
    return new RunnerError('Cancelled', `the run was cancelled from elsewhere, by ${cancelledBy}`);
  }
  const failed = job?.status?.conditions?.find(
    ({ type, status }) => (type === 'Failed' || type === 'FailureTarget') && status === 'True',
  );
  if (failed?.reason === 'DeadlineExceeded') {
    return new RunnerError(
      'DeadlineExceeded',
      `the cluster ended the Job at its deadline: ${failed.message ?? ''}`,
    );
  }
  if (pod) {
    const own = endOfPod(job, pod);
    if (own) return own;
  }
  if (job?.metadata.deletionTimestamp) return new RunnerError('PodDeleted', 'somebody deleted the Job');
  if (failed)
    return new RunnerError('PodFailed', `the Job failed: ${failed.reason ?? ''}: ${failed.message ?? ''}`);
  return undefined;
}

function endOfPod(job: JobObject | undefined, pod: PodObject): RunnerError | undefined {
  const ended = pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded';
  const leaving = pod.metadata.deletionTimestamp !== undefined;
  const terminated = pod.status?.containerStatuses?.find(({ name }) => name === containerName)?.state
    ?.terminated;
  if (!ended && !leaving && !terminated) return undefined;
  return disrupted(pod) ?? killed(terminated) ?? deleted(job, pod, leaving) ?? died(pod, terminated);
}

/** The cluster itself took the pod away and said why. */
function disrupted(pod: PodObject): RunnerError | undefined {
  const words = `${pod.status?.reason ?? ''} ${pod.status?.message ?? ''}`.trim();
  if (pod.status?.reason === 'Evicted')
    return new RunnerError('Evicted', `the node evicted the pod: ${pod.status.message ?? ''}`);
  if (pod.status?.reason === 'NodeLost') return new RunnerError('NodeLost', `the node is lost: ${words}`);
  const target = pod.status?.conditions?.find(
    ({ type, status }) => type === 'DisruptionTarget' && status === 'True',
  );
  if (!target) return undefined;
  const message = `${target.reason ?? ''}: ${target.message ?? words}`;
  switch (target.reason) {
    case 'DeletionByTaintManager':
    case 'DeletionByPodGC':
      return new RunnerError('NodeLost', `the pod's node is lost: ${message}`);
    default:
      return new RunnerError('Evicted', `the cluster evicted the pod: ${message}`);
  }
}

function killed(terminated: Terminated | undefined): RunnerError | undefined {
  if (terminated?.reason === 'OOMKilled') {
    return new RunnerError(
      'OOMKilled',
      'the whole container was killed for want of memory; give it more with --memory',
    );
  }
  if (terminated && /StartError|ContainerCannotRun/.test(terminated.reason ?? '')) {
    const message = terminated.message ?? terminated.reason ?? '';
    return new RunnerError(
      lacksProgram(message) ? 'UnsuitableImage' : 'ContainerConfig',
      `the container cannot be started${lacksProgram(message) ? ': the image has no sh, which a run needs' : ''}: ${message}`,
    );
  }
  if (terminated?.exitCode === staleLease) {
    return new RunnerError(
      'ConnectionLost',
      'the pod had no sign of life from the runner for its --orphan-timeout and ended itself',
    );
  }
  return undefined;
}

/** What keep-alive.sh ends with. */
const staleLease = 75;

function deleted(job: JobObject | undefined, pod: PodObject, leaving: boolean): RunnerError | undefined {
  if (!leaving) return undefined;
  const what = job?.metadata.deletionTimestamp ? 'Job' : 'pod';
  return new RunnerError(
    'PodDeleted',
    `somebody deleted the ${what} (${pod.metadata.name}) while the run needed it`,
  );
}

function died(pod: PodObject, terminated: Terminated | undefined): RunnerError {
  const how = terminated
    ? `its container ended with ${terminated.exitCode}${terminated.reason ? ` (${terminated.reason})` : ''}${terminated.message ? `: ${terminated.message}` : ''}`
    : [pod.status?.reason, pod.status?.message].filter(Boolean).join(': ') || 'no reason was given';
  return new RunnerError('PodFailed', `the pod ended while the run needed it: ${how}`);
}

/** The runtimes' words for a command that the image does not have. */
export const lacksProgram = (message: string): boolean =>
  /executable file not found|no such file or directory|not found in \$PATH/.test(message);
