import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { messageOf, RunnerError } from '../../../base/errors.ts';
import type { EngineApi } from '../../../engine/engine-api.ts';
import { cancelledName } from '../cancel-note.ts';
import { removeContainer } from '../remove-container.ts';
import { labels } from '../run-labels.ts';
import { findRun } from './named-run.ts';
import { deleteNetwork, listRunContainers, listRunNetworks, type RunContainer } from './run-objects.ts';
import { nameOf } from './run-summary.ts';

export interface CancelRequest {
  readonly api: EngineApi;
  /** As messages name the engine. */
  readonly engine: string;
  readonly clock: Clock;
  readonly name: string;
  /** Who cancels, for the runner's message: `ada@laptop`. */
  readonly by: string;
  /** Something that went less well than it could, but does not keep the run from ending. */
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

const lookMs = 250;
/** How long a runner may take to see that it is cancelled, and to begin to remove its container. */
const noticeMs = 5_000;

/**
 * Ends a run, wherever its runner is or whether there still is one. The container is first renamed to say that it is
 * being cancelled, so that the runner tells just that; then it is removed with its network. Resolves to the
 * container's name; rejects with BadInput where there is no such run.
 */
export async function cancelRun(request: CancelRequest): Promise<string> {
  const { api, signal } = request;
  const container = await findRun(request);
  if (await sayCancelled(request, container)) await letRunnerRemove(request, container);
  await removeContainer(api, container.Id, signal);
  const run = container.Labels[labels.id];
  for (const { Id: id, Labels: given } of await listRunNetworks(api, signal)) {
    if (run !== undefined && given[labels.id] === run) await deleteNetwork(api, id, signal);
  }
  return nameOf(container);
}

async function sayCancelled(
  { api, by, warn, signal }: CancelRequest,
  container: RunContainer,
): Promise<boolean> {
  const query = { name: cancelledName(nameOf(container), by) };
  const call = { method: 'POST', path: `/containers/${container.Id}/rename`, query, signal } as const;
  try {
    await api.request({ ...call, action: 'rename the container' }, z.unknown());
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof RunnerError)) throw error;
    if (error.code === 'NotFound') return false;
    warn(
      `the run's own runner will tell that somebody removed its container, for it could not be told of the cancelling: ${messageOf(error)}`,
    );
    return false;
  }
}

/** A container that is removed at once can be gone before its runner has seen its new name. */
async function letRunnerRemove(
  { api, clock, signal }: CancelRequest,
  { Id: id, State: state, Labels: given }: RunContainer,
): Promise<void> {
  if (state !== 'running') return;
  const until = clock.now() + noticeMs;
  while (clock.now() < until) {
    const left = await listRunContainers(api, { [labels.id]: given[labels.id] ?? '' }, signal);
    if (!left.some((container) => container.Id === id && container.State === 'running')) return;
    await clock.sleep(lookMs, signal);
  }
}
