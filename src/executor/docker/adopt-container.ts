import { RunnerError } from '../../base/errors.ts';
import type { Sandbox } from '../executor.ts';
import { diagnoseEnd } from './container-end.ts';
import { ContainerMonitor } from './container-monitor.ts';
import { readContainer } from './create-container.ts';
import { endAsAsked } from './end-as-asked.ts';
import type { ContainerObject } from './engine-objects.ts';
import { type Entry, enterContainer } from './enter-container.ts';
import { outlastEngine } from './outlast-engine.ts';
import { removeRun } from './remove-run.ts';
import { labels } from './run-labels.ts';

/** Takes up the container that an earlier process made for this run: the one with its id in the label, no other. */
export async function adoptContainer(entry: Entry, signal: AbortSignal): Promise<Sandbox> {
  const { target } = entry;
  const { name, runId, observer } = target;
  let monitor: ContainerMonitor | undefined;
  try {
    const found = await outlastEngine(target, 'looking for the container', signal, () =>
      readContainer(target, name, signal),
    );
    if (!found || found.Config.Labels?.[labels.id] !== runId) throw notThere(entry, found);
    observer.place({ kind: 'container', name, id: found.Id });
    const end = diagnoseEnd(name, found.State, { signal: undefined, engineWasAway: false });
    if (end || !found.State.Running) throw end ?? notThere(entry, undefined);
    monitor = new ContainerMonitor(target, found.Id, (asked) => void endAsAsked(target, asked));
    return await enterContainer(entry, found.Id, monitor, signal);
  } catch (error) {
    if (isOutOfReach(error) && !signal.aborted && !monitor?.lost.aborted) {
      observer.leftover(
        `the container ${name} may still be running and was left as it is; take it up again with --resume`,
      );
    } else {
      monitor?.expectEnd();
      const closed = await removeRun(target, new AbortController().signal);
      if (closed.leftover) observer.leftover(closed.leftover);
    }
    await monitor?.[Symbol.asyncDispose]();
    throw error;
  }
}

function notThere({ target, request }: Entry, found: ContainerObject | undefined): RunnerError {
  const what = found
    ? `the container ${target.name} belongs to another run now and was left alone`
    : `there is no container ${target.name} any more`;
  return new RunnerError('NotFound', `${what}; the run ${JSON.stringify(request.run.name)} is not there`);
}

/** The run may be well; it is only we who cannot get there. */
const isOutOfReach = (error: unknown): boolean =>
  error instanceof RunnerError &&
  ['ConnectionLost', 'Unauthorized', 'Forbidden', 'Throttled', 'ApiRefused'].includes(error.code);
