import { diagnose } from '../diagnosis.ts';
import { annotations, labels } from '../object-names.ts';
import type { EventObject, JobObject, PodObject } from '../objects.ts';
import { relevantEvents } from '../relevant-events.ts';

/** One run as the cluster shows it. */
export interface RunSummary {
  /** As `--name` gave it; null where the Job's annotation is gone. */
  readonly name: string | null;
  readonly runner: string | null;
  readonly id: string | null;
  readonly job: string;
  readonly pod: string | null;
  readonly node: string | null;
  readonly status: ClusterStatus;
  /** Why it waits or failed, in the cluster's words. */
  readonly reason: string | null;
  readonly message: string | null;
  /** Whether it was started with `--keep`. */
  readonly kept: boolean;
  /** As the API writes it. */
  readonly createdAt: string | null;
}

type ClusterStatus = 'Waiting' | 'Running' | 'Ending' | 'Failed' | 'Complete';

export interface SeenRun {
  readonly job: JobObject;
  readonly pods: readonly PodObject[];
  readonly events: readonly EventObject[];
}

/** Pure. */
export function summarize({ job, pods, events }: SeenRun): RunSummary {
  const pod = podOf(job, pods);
  const { metadata, spec } = job;
  return {
    name: metadata.annotations?.[annotations.name] ?? null,
    runner: metadata.annotations?.[annotations.runner] ?? null,
    id: metadata.labels?.[labels.run] ?? null,
    job: metadata.name,
    pod: pod?.metadata.name ?? null,
    node: pod?.spec.nodeName ?? null,
    ...statusOf(job, pod, relevantEvents(events, [metadata.uid, pod?.metadata.uid])),
    kept: spec?.ttlSecondsAfterFinished === undefined,
    createdAt: metadata.creationTimestamp ?? null,
  };
}

/** The first pod that the Job made is the run's; another one is never used. */
export function podOf(job: JobObject, pods: readonly PodObject[]): PodObject | undefined {
  const age = ({ metadata }: PodObject): string => metadata.creationTimestamp ?? '';
  return pods
    .filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === job.metadata.uid))
    .sort((a, b) => age(a).localeCompare(age(b)))[0];
}

type Status = Pick<RunSummary, 'status' | 'reason' | 'message'>;

function statusOf(job: JobObject, pod: PodObject | undefined, events: readonly EventObject[]): Status {
  const over = conditionOf(job, 'Failed') ?? conditionOf(job, 'Complete');
  if (job.metadata.deletionTimestamp !== undefined) return endingStatus(job);
  if (over) {
    const status = over.type === 'Complete' ? 'Complete' : 'Failed';
    const why = status === 'Failed' ? diagnose({ job, pod, events, unchangedMs: 0 }) : undefined;
    return why?.kind === 'over'
      ? { status, reason: why.error.code, message: why.error.message }
      : { status, reason: over.reason ?? null, message: over.message ?? null };
  }
  const isCancelled = job.metadata.annotations?.[annotations.cancelledBy] !== undefined;
  if (isCancelled || pod?.metadata.deletionTimestamp !== undefined) return endingStatus(job);
  const seen = diagnose({ job, pod, events, unchangedMs: 0 });
  switch (seen.kind) {
    case 'running':
      return { status: 'Running', reason: null, message: null };
    case 'waiting':
      return { status: 'Waiting', reason: seen.word.reason, message: seen.word.message };
    case 'over':
      return { status: 'Failed', reason: seen.error.code, message: seen.error.message };
  }
}

function endingStatus({ metadata }: JobObject): Status {
  const by = metadata.annotations?.[annotations.cancelledBy];
  return { status: 'Ending', reason: by === undefined ? null : 'Cancelled', message: by ?? null };
}

export const conditionOf = (job: JobObject, type: string) =>
  job.status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');
