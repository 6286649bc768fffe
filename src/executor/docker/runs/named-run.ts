import { badInput } from '../../../base/errors.ts';
import type { EngineApi } from '../../../engine/engine-api.ts';
import { labels } from '../run-labels.ts';
import { listRunContainers, type RunContainer } from './run-objects.ts';

export interface NamedRun {
  readonly api: EngineApi;
  /** As messages name the engine. */
  readonly engine: string;
  readonly name: string;
  readonly signal: AbortSignal;
}

/** The container of the run of this name. Rejects with BadInput where there is none. */
export async function findRun({ api, engine, name, signal }: NamedRun): Promise<RunContainer> {
  const [container] = await listRunContainers(api, { [labels.name]: name }, signal);
  if (container) return container;
  throw badInput(
    `there is no run ${JSON.stringify(name)} on the engine ${engine}; "ls --executor docker" lists those that are; one that waits for its image has no container yet`,
  );
}
