import type { EngineApi } from '../../../engine/engine-api.ts';
import { readContainer } from '../create-container.ts';
import { labels } from '../run-labels.ts';
import { listRunContainers, type RunContainer } from './run-objects.ts';
import { hasEnded, type RunSummary, summarize } from './run-summary.ts';

/** The runs on the engine, oldest first; with `runner`, only those that are for this DID. */
export async function listRuns(
  api: EngineApi,
  runner: string | undefined,
  signal: AbortSignal,
): Promise<readonly RunSummary[]> {
  const more = runner === undefined ? {} : { [labels.runner]: runner };
  return await summarizeAll(api, await listRunContainers(api, more, signal), signal);
}

/** Looks at those that have ended, so that their summary says why. */
export async function summarizeAll(
  api: EngineApi,
  containers: readonly RunContainer[],
  signal: AbortSignal,
): Promise<readonly RunSummary[]> {
  const runs: RunSummary[] = [];
  for (const container of containers) {
    const seen = hasEnded(container) ? await readContainer({ api }, container.Id, signal) : undefined;
    runs.push(summarize(container, seen?.State));
  }
  return runs.sort(
    (a, b) => a.createdAt.localeCompare(b.createdAt) || a.container.localeCompare(b.container),
  );
}
