import type { Clock } from '../../../base/clock.ts';
import { messageOf, RunnerError } from '../../../base/errors.ts';
import type { KubeApi } from '../../../kube/kube-api.ts';
import { letRunnerEnd } from '../../let-runner-end.ts';
import { annotations, labels } from '../object-names.ts';
import { paths } from '../object-paths.ts';
import { anything, type JobObject, type PodObject, podSchema } from '../objects.ts';
import { deleteThisJob, unlessGone } from './delete-job.ts';
import { listObjects, ownedBy } from './list-objects.ts';
import { findRun, readNamedJob } from './named-run.ts';
import { conditionOf } from './run-summary.ts';

export interface CancelRequest {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly name: string;
  /** Who cancels, for the runner's message: `ada@laptop`. */
  readonly by: string;
  /** Delete the Job without waiting for its runner to end the run in order. */
  readonly now: boolean;
  /** Hears what is waited for, and what went less well than it could but does not keep the run from ending. */
  readonly tell: (message: string) => void;
  readonly signal: AbortSignal;
}

export interface CancelledRun {
  readonly job: string;
  /** What was still there after two minutes, and how to remove it; null where nothing was. */
  readonly leftover: string | null;
}

const patienceMs = 120_000;
const lookMs = 250;
const attempts = 3;

/**
 * Ends a run, wherever its runner is or whether there still is one. The Job says that it is being cancelled; its
 * runner then ends the steps in order, fetches the outputs and deletes the Job. Where no runner answers, or it
 * takes longer than it said, the Job is deleted from here. Its pod is waited for. Rejects with BadInput where
 * there is no such run.
 */
export async function cancelRun(request: CancelRequest): Promise<CancelledRun> {
  const { api, clock, name, signal } = request;
  const job = await findRun(api, name, signal);
  const isSaid = await sayCancelled(request, job);
  if (isSaid && !request.now && !isOver(job)) await runnerEnds(request, job);
  await deleteThisJob(api, job, signal);
  const giveUpAt = clock.now() + patienceMs;
  let left = await whatIsLeft(request, job);
  while (left !== null && clock.now() < giveUpAt) {
    await clock.sleep(lookMs, signal);
    left = await whatIsLeft(request, job);
  }
  return { job: job.metadata.name, leftover: left };
}

/** There is nothing to be ended in order in a Job that has ended, or that is being deleted. */
const isOver = (job: JobObject): boolean =>
  job.metadata.deletionTimestamp !== undefined ||
  ['Failed', 'FailureTarget', 'Complete'].some((type) => conditionOf(job, type) !== undefined);

/** The uid in the patch is a precondition: another Job of this name is not touched. */
async function sayCancelled(
  { api, clock, by, tell, signal }: CancelRequest,
  job: JobObject,
): Promise<boolean> {
  const { name, uid } = job.metadata;
  const body = { metadata: { uid, annotations: { [annotations.cancelledBy]: by } } };
  for (let attempt = 1; ; attempt++) {
    try {
      const call = { method: 'PATCH', path: paths.job(api.namespace, name), body, signal } as const;
      await unlessGone(() => api.request(call, anything));
      return true;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof RunnerError)) throw error;
      if (!error.retry || attempt === attempts) {
        tell(
          `the run's own runner will tell that somebody deleted its Job, for it could not be told of the cancelling: ${messageOf(error)}`,
        );
        return false;
      }
      await clock.sleep(error.retryAfterMs ?? lookMs, signal);
    }
  }
}

const runnerEnds = ({ api, clock, tell, signal }: CancelRequest, job: JobObject): Promise<void> =>
  letRunnerEnd({
    ...{ clock, tell, signal, otherwise: 'its Job is deleted from here' },
    look: async () => {
      const now = await readNamedJob(api, job.metadata.name, signal);
      if (now?.metadata.uid !== job.metadata.uid || isOver(now)) return undefined;
      return { endsWithin: now.metadata.annotations?.[annotations.endsWithin] };
    },
  });

async function podsOf(
  { api, signal }: CancelRequest,
  { metadata }: JobObject,
): Promise<readonly PodObject[]> {
  const query = ownedBy({ [labels.run]: metadata.labels?.[labels.run] ?? '' });
  return listObjects(api, paths.pods(api.namespace), podSchema, query, signal);
}

async function whatIsLeft(request: CancelRequest, job: JobObject): Promise<string | null> {
  const { api, signal } = request;
  const { namespace } = api;
  const { name, uid } = job.metadata;
  const [now, pods] = await Promise.all([readNamedJob(api, name, signal), podsOf(request, job)]);
  const [pod] = pods;
  if (pod) {
    const node = pod.spec.nodeName === undefined ? '' : ` on the node ${pod.spec.nodeName}`;
    return `the pod ${namespace}/${pod.metadata.name}${node} does not end; if its node is lost: kubectl delete pod ${pod.metadata.name} -n ${namespace} --grace-period=0 --force`;
  }
  if (now?.metadata.uid !== uid) return null;
  return `the Job ${namespace}/${name} is still there; remove it: kubectl delete job ${name} -n ${namespace}`;
}
