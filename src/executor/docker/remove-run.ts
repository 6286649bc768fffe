import { withDeadline } from '../../base/deadline.ts';
import { messageOf, RunnerError } from '../../base/errors.ts';
import type { Closed } from '../executor.ts';
import { anything, listSchema } from './engine-objects.ts';
import { removeContainer, unlessGone } from './remove-container.ts';
import { filterOfRun } from './run-labels.ts';
import { networksOf } from './run-network.ts';
import type { RunTarget } from './run-target.ts';

/** After this long it is somebody else's to do; the message then says what. */
const patienceMs = 120_000;
const pauseMs = 500;

/**
 * Removes what carries the run's id, its container and then its network, and sees that it is gone. What cannot be
 * removed within two minutes is named. Aborting the signal leaves once the removal was asked for.
 */
export async function removeRun(target: RunTarget, signal: AbortSignal): Promise<Closed> {
  const { clock, observer } = target;
  const giveUpAt = clock.now() + patienceMs;
  let trouble = 'the engine gave no reason';
  while (clock.now() < giveUpAt) {
    try {
      const deadline = { name: 'the end of the container', ms: giveUpAt - clock.now() };
      // under no signal but its own deadline: a run that is left in a hurry has sent this
      await withDeadline(clock, deadline, undefined, (within) => removeAll(target, within));
      return { deleted: true, kept: false, leftover: null };
    } catch (error) {
      trouble = messageOf(error);
      if (signal.aborted) break;
      observer.trace(`removing the run failed, trying again: ${trouble}`);
      await clock.sleep(pauseMs, signal).catch(() => {});
    }
  }
  return { deleted: false, kept: false, leftover: leftover(target, trouble) };
}

async function removeAll(target: RunTarget, signal: AbortSignal): Promise<void> {
  for (const id of await containersOf(target, signal)) await removeContainer(target.api, id, signal);
  for (const id of await networksOf(target, signal)) {
    const call = { method: 'DELETE', path: `/networks/${id}`, action: 'remove the network', signal } as const;
    await unlessGone(() => target.api.request(call, anything));
  }
  if ((await containersOf(target, signal)).length > 0)
    throw new RunnerError('Conflict', 'the container is still there', { retry: true });
}

async function containersOf({ api, runId }: RunTarget, signal: AbortSignal): Promise<readonly string[]> {
  const query = { all: 'true', ...filterOfRun(runId) };
  const call = { method: 'GET', path: '/containers/json', query, signal } as const;
  const found = await api.request({ ...call, action: 'list the containers of the run' }, listSchema);
  return found.map(({ Id: id }) => id);
}

const leftover = ({ name, docker }: RunTarget, trouble: string): string =>
  `the container ${name} may be left (${trouble}); remove it with: ${docker} rm -f -v ${name}, and its network, if it has one: ${docker} network rm ${name}`;
