import type { Job, JobStatus } from '../store/job.ts';
import { hasCondition } from '../store/job.ts';
import { timestamp } from '../store/object.ts';
import type { Condition, Pod } from '../store/pod.ts';
import { isReady, isTerminal } from '../store/pod.ts';

export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';

/** What the controller has to do for a Job now. */
export interface JobPlan {
  /** The status to write first; then the finalizers go; then `counted` makes the next one. */
  readonly status: JobStatus;
  readonly create: number;
  readonly remove: readonly Pod[];
  /** Terminal pods that are in the status now and can be let go. */
  readonly release: readonly Pod[];
}

const texts = {
  BackoffLimitExceeded: 'Job has reached the specified backoff limit',
  DeadlineExceeded: 'Job was active longer than specified deadline',
  CompletionsReached: 'Reached expected number of succeeded pods',
} as const;

const condition = (type: string, reason: string, message: string, now: Date): Condition => ({
  type,
  status: 'True',
  lastProbeTime: timestamp(now),
  lastTransitionTime: timestamp(now),
  reason,
  message,
});

const isTracked = (pod: Pod): boolean => pod.metadata.finalizers?.includes(trackingFinalizer) ?? false;

/** The reason for which a Job ends, once there is one. */
function targetOf(
  { spec, status }: Job,
  succeeded: number,
  failed: number,
  now: Date,
): readonly [type: 'FailureTarget' | 'SuccessCriteriaMet', reason: keyof typeof texts] | undefined {
  const { startTime } = status;
  const { activeDeadlineSeconds, backoffLimit, completions = 1 } = spec;
  if (failed > backoffLimit) return ['FailureTarget', 'BackoffLimitExceeded'];
  if (
    startTime !== undefined &&
    activeDeadlineSeconds !== undefined &&
    now.getTime() >= Date.parse(startTime) + activeDeadlineSeconds * 1000
  )
    return ['FailureTarget', 'DeadlineExceeded'];
  if (succeeded >= completions) return ['SuccessCriteriaMet', 'CompletionsReached'];
  return undefined;
}

const withCount = (name: 'active' | 'succeeded' | 'failed', value: number): object =>
  value > 0 ? { [name]: value } : {};

/** Where a Job that is not finished stands, given all its pods. */
export function planJob(job: Job, pods: readonly Pod[], now: Date): JobPlan {
  const { spec, status } = job;
  const tracked = pods.filter(isTracked);
  const isEnding = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;
  const living = pods.filter((pod) => !isTerminal(pod));
  const active = living.filter((pod) => !isEnding(pod));
  const early = spec.podReplacementPolicy === 'TerminatingOrFailed';
  const succeededPods = tracked.filter(({ status: { phase } }) => phase === 'Succeeded');
  const failedPods = tracked.filter(
    (pod) => pod.status.phase === 'Failed' || (early && isEnding(pod) && !isTerminal(pod)),
  );
  const succeeded = (status.succeeded ?? 0) + succeededPods.length;
  const failed = (status.failed ?? 0) + failedPods.length;

  const suspended = spec.suspend;
  const ended = status.conditions?.find(
    ({ type }) => type === 'FailureTarget' || type === 'SuccessCriteriaMet',
  );
  const target = ended || suspended ? undefined : targetOf(job, succeeded, failed, now);
  const over = ended !== undefined || target !== undefined;
  const stopping = over || suspended;
  const released = [
    ...succeededPods,
    ...failedPods,
    ...(over ? tracked.filter((pod) => active.includes(pod)) : []),
  ];
  const newlyFailed = [...failedPods, ...(over ? tracked.filter((pod) => active.includes(pod)) : [])];

  const wanted = Math.min(spec.parallelism, (spec.completions ?? 1) - succeeded);
  const held = early ? active.length : living.length;
  const create = stopping ? 0 : Math.max(0, wanted - held);
  const conditions = conditionsOf(job, target, now);
  const { conditions: _, active: __, startTime, uncountedTerminatedPods: ___, ...kept } = status;
  const started = suspended ? undefined : (startTime ?? timestamp(now));
  return {
    create,
    remove: stopping ? active : [],
    release: released,
    status: {
      ...(conditions.length > 0 && { conditions }),
      ...(started !== undefined && { startTime: started }),
      ...kept,
      ...withCount('active', stopping ? 0 : active.length + create),
      terminating: living.length - active.length + (stopping ? active.length : 0),
      uncountedTerminatedPods: {
        ...(succeededPods.length > 0 && { succeeded: succeededPods.map(({ metadata }) => metadata.uid) }),
        ...(newlyFailed.length > 0 && { failed: newlyFailed.map(({ metadata }) => metadata.uid) }),
      },
      ready: stopping ? 0 : active.filter(isReady).length,
    },
  };
}

function conditionsOf(job: Job, target: ReturnType<typeof targetOf>, now: Date): Condition[] {
  const conditions = [...(job.status.conditions ?? [])];
  if (target) conditions.push(condition(target[0], target[1], texts[target[1]], now));
  const at = conditions.findIndex(({ type }) => type === 'Suspended');
  const before = conditions[at];
  if (job.spec.suspend && before?.status !== 'True') {
    const next = condition('Suspended', 'JobSuspended', 'Job suspended', now);
    conditions.splice(at < 0 ? conditions.length : at, before ? 1 : 0, next);
  } else if (!job.spec.suspend && before?.status === 'True') {
    conditions[at] = { ...condition('Suspended', 'JobResumed', 'Job resumed', now), status: 'False' };
  }
  return conditions;
}

/** The status once the released pods' finalizers are gone; finished where nothing runs any more. */
export function countPods(status: JobStatus, now: Date): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const counted: JobStatus = {
    ...status,
    ...withCount('succeeded', (status.succeeded ?? 0) + succeeded.length),
    ...withCount('failed', (status.failed ?? 0) + failed.length),
    uncountedTerminatedPods: {},
  };
  if ((status.terminating ?? 0) > 0 || (status.active ?? 0) > 0) return counted;
  const target = status.conditions?.find(
    ({ type }) => type === 'FailureTarget' || type === 'SuccessCriteriaMet',
  );
  if (!target || hasCondition(status, 'Failed') || hasCondition(status, 'Complete')) return counted;
  const type = target.type === 'FailureTarget' ? 'Failed' : 'Complete';
  return {
    ...counted,
    conditions: [
      ...(status.conditions ?? []),
      condition(type, target.reason ?? '', target.message ?? '', now),
    ],
    ...(type === 'Complete' && { completionTime: timestamp(now) }),
  };
}
