import type { Word } from '../word-watch.ts';
import { containerName } from './job-manifest.ts';
import type { EventObject, PodObject } from './objects.ts';

/** Waiting reasons of a container that say less than the newest event does. */
const vague = new Set(['ContainerCreating', 'PodInitializing']);

/** The most telling word for why this pod does not run yet. Pure. */
export function waitingWord(pod: PodObject | undefined, events: readonly EventObject[]): Word {
  if (!pod) return eventWord(events, 'Job') ?? { reason: 'Creating', message: 'the pod is being created' };
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False' || !pod.spec.nodeName) return unscheduledWord(scheduled, events);
  const waiting = containerWaiting(pod);
  if (waiting && !vague.has(waiting.reason)) return waiting;
  return eventWord(events, 'Pod') ?? waiting ?? { reason: 'Starting', message: 'the node starts the pod' };
}

/** The autoscaler answers the scheduler: where it has spoken, its word is the newer one. */
function unscheduledWord(
  scheduled: { readonly reason?: string | undefined; readonly message?: string | undefined } | undefined,
  events: readonly EventObject[],
): Word {
  const scheduler: Word = {
    reason: scheduled?.reason ?? 'Scheduling',
    message: scheduled?.message ?? 'the pod waits for a node',
  };
  const autoscaler = events.filter(({ reason = '' }) => autoscalerReasons.test(reason)).at(-1);
  if (!autoscaler) return scheduler;
  return { reason: autoscaler.reason ?? '', message: `${autoscaler.message ?? ''} (${scheduler.message})` };
}

/** Of the cluster autoscaler and of Karpenter. */
const autoscalerReasons =
  /^(TriggeredScaleUp|NotTriggerScaleUp|FailedScaleUp|Nominated|NoCompatibleInstanceTypes)$/;

function containerWaiting(pod: PodObject): Word | undefined {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const ours = statuses.find(({ name }) => name === containerName);
  const waiting = ours?.state?.waiting ?? statuses.find(({ state }) => state?.waiting)?.state?.waiting;
  return waiting?.reason ? { reason: waiting.reason, message: waiting.message ?? waiting.reason } : undefined;
}

function eventWord(events: readonly EventObject[], kind: 'Job' | 'Pod'): Word | undefined {
  const newest = events.filter(({ involvedObject }) => involvedObject.kind === kind).at(-1);
  return newest?.reason ? { reason: newest.reason, message: newest.message ?? newest.reason } : undefined;
}
