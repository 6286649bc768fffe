import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { messageOf, RunnerError } from '../../../base/errors.ts';
import type { EngineApi } from '../../../engine/engine-api.ts';
import { letRunnerEnd } from '../../let-runner-end.ts';
import { answerIn, cancelledName, cancellerIn } from '../cancel-note.ts';
import { removeContainer } from '../remove-container.ts';
import { labels } from '../run-labels.ts';
import { findRun } from './named-run.ts';
import { deleteNetwork, listRunContainers, listRunNetworks, type RunContainer } from './run-objects.ts';
import { hasEnded, nameOf } from './run-summary.ts';

export interface CancelRequest {
  readonly api: EngineApi;
  /** As messages name the engine. */
  readonly engine: string;
  readonly clock: Clock;
  readonly name: string;
  /** Who cancels, for the runner's message: `ada@laptop`. */
  readonly by: string;
  /** Remove the container without waiting for its runner to end the run in order. */
  readonly now: boolean;
  /** Hears what is waited for, and what went less well than it could but does not keep the run from ending. */
  readonly tell: (message: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Ends a run, wherever its runner is or whether there still is one. The container is first renamed to say that it is
 * being cancelled; its runner then ends the steps in order, fetches the outputs and removes it. Where no runner
 * answers, or it takes longer than it said, it is removed from here, with its network. Resolves to the container's
 * name; rejects with BadInput where there is no such run.
 */
export async function cancelRun(request: CancelRequest): Promise<string> {
  const { api, signal } = request;
  const container = await findRun(request);
  const isSaid = await sayCancelled(request, container);
  if (isSaid && !request.now && !hasEnded(container)) await runnerEnds(request, container);
  await removeContainer(api, container.Id, signal);
  const run = container.Labels[labels.id];
  for (const { Id: id, Labels: given } of await listRunNetworks(api, signal)) {
    if (run !== undefined && given[labels.id] === run) await deleteNetwork(api, id, signal);
  }
  return nameOf(container);
}

async function sayCancelled(
  { api, by, tell, signal }: CancelRequest,
  container: RunContainer,
): Promise<boolean> {
  if (cancellerIn(container.Names?.[0] ?? '') !== undefined) return true; // its runner may have answered
  const query = { name: cancelledName(nameOf(container), by) };
  const call = { method: 'POST', path: `/containers/${container.Id}/rename`, query, signal } as const;
  try {
    await api.request({ ...call, action: 'rename the container' }, z.unknown());
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof RunnerError)) throw error;
    if (error.code === 'NotFound') return false;
    tell(
      `the run's own runner will tell that somebody removed its container, for it could not be told of the cancelling: ${messageOf(error)}`,
    );
    return false;
  }
}

const runnerEnds = (
  { api, clock, tell, signal }: CancelRequest,
  { Id: id, Labels: given }: RunContainer,
): Promise<void> =>
  letRunnerEnd({
    ...{ clock, tell, signal, otherwise: 'its container is removed from here' },
    look: async () => {
      const left = await listRunContainers(api, { [labels.id]: given[labels.id] ?? '' }, signal);
      const now = left.find((container) => container.Id === id);
      return now && !hasEnded(now) ? { endsWithin: answerIn(now.Names?.[0] ?? '') } : undefined;
    },
  });
