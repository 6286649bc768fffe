import { RunnerError } from '../../../base/errors.ts';
import type { KubeApi } from '../../../kube/kube-api.ts';
import { labelDigestOf, labels } from '../object-names.ts';
import { paths } from '../object-paths.ts';
import { type EventObject, eventSchema, jobSchema, podSchema } from '../objects.ts';
import { listObjects, ownedBy } from './list-objects.ts';
import { podOf, type RunSummary, summarize } from './run-summary.ts';

/** The runs in the API's namespace, oldest first; with `runner`, only those that are for this DID. */
export async function listRuns(
  api: KubeApi,
  runner: string | undefined,
  signal: AbortSignal,
): Promise<readonly RunSummary[]> {
  const { namespace } = api;
  const query = ownedBy(runner === undefined ? {} : { [labels.runner]: labelDigestOf(runner) });
  const [jobs, pods] = await Promise.all([
    listObjects(api, paths.jobs(namespace), jobSchema, query, signal),
    listObjects(api, paths.pods(namespace), podSchema, query, signal),
  ]);
  const isPodless = jobs.some((job) => !podOf(job, pods));
  const events = isPodless ? await jobEvents(api, signal) : [];
  const age = ({ createdAt }: RunSummary): string => createdAt ?? '';
  return jobs
    .map((job) => summarize({ job, pods, events }))
    .sort((a, b) => age(a).localeCompare(age(b)) || a.job.localeCompare(b.job));
}

/** They tell why a Job has no pod. Who may not read them still gets the list. */
async function jobEvents(api: KubeApi, signal: AbortSignal): Promise<readonly EventObject[]> {
  const query = { fieldSelector: 'involvedObject.kind=Job' };
  try {
    return await listObjects(api, paths.events(api.namespace), eventSchema, query, signal);
  } catch (error) {
    if (error instanceof RunnerError && error.code === 'Forbidden') return [];
    throw error;
  }
}
