import { RunnerError } from '../../base/errors.ts';
import type { ContainerConfig } from './container-config.ts';
import { anything, type ContainerObject, containerSchema, createdSchema } from './engine-objects.ts';
import { outlastEngine } from './outlast-engine.ts';
import { runFolders } from './run-folders.ts';
import { labels } from './run-labels.ts';
import type { RunTarget } from './run-target.ts';

/**
 * Creates the container once, and the folders in it; it does not run yet. A create whose answer was lost is looked
 * up before it is sent again; a container of the same name that is not this run's is an error and is left alone.
 */
export async function createContainer(
  target: RunTarget,
  config: ContainerConfig,
  signal: AbortSignal,
): Promise<string> {
  const { api, clock } = target;
  const id = await outlastEngine(target, 'creating the container', signal, () =>
    createOrFind(target, config, signal),
  );
  const body = runFolders(Math.floor(clock.date().getTime() / 1000));
  const path = `/containers/${id}/archive`;
  const call = {
    method: 'PUT',
    path,
    query: { path: '/' },
    body,
    action: 'make the folders of the run',
  } as const;
  await outlastEngine(target, 'making the folders', signal, () => api.request({ ...call, signal }, anything));
  return id;
}

async function createOrFind(
  target: RunTarget,
  config: ContainerConfig,
  signal: AbortSignal,
): Promise<string> {
  const { api, name, observer } = target;
  const action = `create the container ${name}`;
  try {
    const call = { method: 'POST', path: '/containers/create', query: { name }, body: config } as const;
    const { Id: id, Warnings: warnings } = await api.request({ ...call, action, signal }, createdSchema);
    for (const warning of warnings ?? []) observer.trace(`the engine warns: ${warning}`);
    return id;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof RunnerError) || !(error.retry || isNameTaken(error))) throw refused(error);
    const found = await readContainer(target, name, signal);
    if (found?.Config.Labels?.[labels.id] === target.runId) return found.Id;
    if (found) throw nameTaken(target, found);
    throw new RunnerError(error.code, error.message, { cause: error, retry: true });
  }
}

/** The container of this name or id, whoever made it, or undefined. */
export async function readContainer(
  { api }: Pick<RunTarget, 'api'>,
  nameOrId: string,
  signal?: AbortSignal,
): Promise<ContainerObject | undefined> {
  try {
    const action = `look at the container ${nameOrId}`;
    const path = `/containers/${encodeURIComponent(nameOrId)}/json`;
    return await api.request({ method: 'GET', path, action, signal }, containerSchema);
  } catch (error) {
    if (error instanceof RunnerError && error.code === 'NotFound') return undefined;
    throw error;
  }
}

const isNameTaken = (error: RunnerError): boolean =>
  error.code === 'Conflict' || /already in use/.test(error.message); // Podman's status is 500

export function nameTaken({ name, docker }: RunTarget, found: ContainerObject): RunnerError {
  const whose = found.Config.Labels?.[labels.name];
  return new RunnerError(
    'AlreadyExists',
    `the container ${name} exists already${whose === undefined ? '' : ` (of the run ${JSON.stringify(whose)})`}; ` +
      `choose another --name, or wait for that run, or remove it: ${docker} rm -f -v ${name}`,
  );
}

/** What an engine says no to for good: a limit that it does not have, an image that is gone again. */
function refused(error: unknown): unknown {
  if (!(error instanceof RunnerError)) return error;
  if (error.code === 'NotFound') return new RunnerError('ImagePull', error.message, { cause: error });
  if (error.code !== 'ApiRefused' && error.code !== 'Conflict') return error;
  return new RunnerError('ContainerConfig', error.message, { cause: error });
}
