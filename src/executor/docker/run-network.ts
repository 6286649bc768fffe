import { RunnerError } from '../../base/errors.ts';
import type { RunIdentity } from '../executor.ts';
import { sharedNetworks } from './container-config.ts';
import type { ContainerSettings } from './container-settings.ts';
import { createdSchema, listSchema } from './engine-objects.ts';
import { outlastEngine } from './outlast-engine.ts';
import { filterOfRun, runLabels } from './run-labels.ts';
import type { RunTarget } from './run-target.ts';

/** A bridge of the run's own, which nothing else is on. */
export function networkConfig(run: RunIdentity, name: string) {
  return { Name: name, Driver: 'bridge', CheckDuplicate: true, Labels: runLabels(run) };
}

/** The network that the container is to be in, made where it is the run's own: its id, or a name of the engine's. */
export async function runNetwork(
  target: RunTarget,
  run: RunIdentity,
  network: ContainerSettings['network'],
  signal: AbortSignal,
): Promise<string> {
  if (network !== 'isolated') return sharedNetworks[network];
  return await outlastEngine(target, 'creating the network', signal, () => createOrFind(target, run, signal));
}

async function createOrFind(target: RunTarget, run: RunIdentity, signal: AbortSignal): Promise<string> {
  const { api, name } = target;
  const action = `create the network ${name}`;
  const call = { method: 'POST', path: '/networks/create', body: networkConfig(run, name) } as const;
  try {
    return (await api.request({ ...call, action, signal }, createdSchema)).Id;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof RunnerError)) throw error;
    const [ours] = await networksOf(target, signal);
    if (ours !== undefined) return ours;
    if (error.retry) throw error;
    throw refused(target, error);
  }
}

/** The ids of the networks that carry the run's id. */
export async function networksOf(
  { api, runId }: RunTarget,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const call = { method: 'GET', path: '/networks', query: filterOfRun(runId), signal } as const;
  const found = await api.request({ ...call, action: 'list the networks of the run' }, listSchema);
  return found.map(({ Id: id }) => id);
}

function refused({ name, docker }: RunTarget, error: RunnerError): RunnerError {
  if (error.code === 'Conflict' || /already (exists|used)/.test(error.message)) {
    return new RunnerError(
      'AlreadyExists',
      `the network ${name} exists already; choose another --name, or remove it: ${docker} network rm ${name}`,
      { cause: error },
    );
  }
  const hint = /address pool|non-overlapping/.test(error.message)
    ? '; remove networks that nobody uses (docker network prune), or give --network none or open'
    : '';
  return new RunnerError('ContainerConfig', `${error.message}${hint}`, { cause: error });
}
