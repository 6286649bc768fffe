import { selectorOfRun } from './object-names.ts';
import { paths } from './object-paths.ts';
import { listOf, type PodObject, podSchema } from './objects.ts';
import type { RunTarget } from './run-target.ts';

/** The pods of the run as the API has them now, past any watch. */
export async function listPods(
  { api, namespace, runId }: RunTarget,
  signal: AbortSignal,
): Promise<readonly PodObject[]> {
  const call = { method: 'GET', path: paths.pods(namespace), query: selectorOfRun(runId), signal } as const;
  return (await api.request(call, listOf(podSchema))).items ?? [];
}
