import { annotations, labels } from '../object-names.ts';
import type { JobObject, NetworkPolicyObject, PodObject } from '../objects.ts';
import { conditionOf } from './run-summary.ts';

/** Something of a run that is over. */
export interface Leftover {
  readonly kind: 'Job' | 'NetworkPolicy';
  readonly name: string;
  readonly uid: string;
  /** The run's name, where it is known. */
  readonly run: string | null;
  readonly why: string;
}

export interface SeenObjects {
  readonly jobs: readonly JobObject[];
  readonly networkPolicies: readonly NetworkPolicyObject[];
  /** Listed after the policies: a policy is made when its pod runs, so one whose pod is not here has lost it. */
  readonly pods: readonly PodObject[];
}

/**
 * What is left over, by the cluster's own word and by no clock: Jobs that it calls ended, and NetworkPolicies
 * whose pod is gone. A Job that waits or runs is never among it: its pod ends by itself when no runner renews
 * its lease, and the cluster then calls the Job ended. Pure.
 */
export function findLeftovers({ jobs, networkPolicies, pods }: SeenObjects): readonly Leftover[] {
  const runsWithPod = new Set(pods.map(({ metadata }) => metadata.labels?.[labels.run]));
  const overJobs = jobs.flatMap((job) => {
    const why = whyOver(job);
    return why === undefined ? [] : [leftover('Job', job, why)];
  });
  const lonelyPolicies = networkPolicies
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .filter(({ metadata }) => !runsWithPod.has(metadata.labels?.[labels.run]))
    .map((policy) => leftover('NetworkPolicy', policy, 'its pod is gone'));
  return [...overJobs, ...lonelyPolicies];
}

/** `FailureTarget` stands while a Job whose end is decided still waits for its pod, which a lost node may keep. */
function whyOver(job: JobObject): string | undefined {
  if (job.metadata.deletionTimestamp !== undefined) return undefined;
  const over =
    conditionOf(job, 'Failed') ?? conditionOf(job, 'FailureTarget') ?? conditionOf(job, 'Complete');
  if (over === undefined) return undefined;
  const words = [over.reason, over.message].filter(Boolean).join(': ');
  return `${over.type === 'Complete' ? 'complete' : 'failed'}${words === '' ? '' : `: ${words}`}`;
}

const leftover = (
  kind: Leftover['kind'],
  { metadata }: JobObject | NetworkPolicyObject,
  why: string,
): Leftover => ({
  kind,
  name: metadata.name,
  uid: metadata.uid,
  run: metadata.annotations?.[annotations.name] ?? null,
  why,
});
