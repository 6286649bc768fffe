import { withDeadline } from '../../base/deadline.ts';
import { messageOf } from '../../base/errors.ts';
import type { Closed, Sandbox } from '../../executor/executor.ts';
import { noteProgress } from '../journal/note-progress.ts';
import { Patience, partingMs } from '../patience.ts';
import type { ClosedRun, FetchedRun } from '../run-states.ts';
import { type Ending, maskedEnding } from '../status.ts';

/** The executor gives up after two minutes by itself; this is for one that does not. */
const closingMs = 180_000;

/**
 * Removes the place, under a signal of its own: a cancelled run is cleaned up like any other. The run is judged
 * by now, so a cancel that comes here changes nothing but the haste.
 */
export async function cleanUp(run: FetchedRun): Promise<ClosedRun> {
  const { context, sandbox, steps, outputs } = run;
  const { request, reporter, phases } = context;
  phases.enter('cleanup');
  await noteProgress(context, { state: 'fetched', ended: maskedEnding(run.ended, reporter), outputs });
  reporter.phase('cleanup');
  const closed = await close(run);
  const isDone = closed.deleted || (closed.kept && request.keep);
  let ended = run.ended;
  if (closed.leftover !== null && isDone) {
    reporter.warn(closed.leftover);
  } else if (!isDone) {
    const message = closed.leftover ?? 'the place of the run could not be removed';
    if (ended) {
      reporter.warn(message);
    }
    ended ??= cleanupFailed(message);
  }
  const { kept, deleted } = closed;
  return { state: 'closed', context, place: { place: sandbox.place, kept, deleted }, steps, ended, outputs };
}

const cleanupFailed = (message: string): Ending => ({
  status: 'error',
  reason: { code: 'CleanupFailed', message },
});

async function close({ context, sandbox }: FetchedRun): Promise<Closed> {
  const { clock, cancel } = context.request;
  using patience = new Patience(clock, {
    name: 'the removal of the place',
    from: cancel.leaving,
    ms: partingMs,
  });
  try {
    return await withDeadline(
      clock,
      { name: 'the removal of the place', ms: closingMs },
      patience.signal,
      (signal) => sandbox.close(signal),
    );
  } catch (error) {
    return { deleted: false, kept: false, leftover: `${messageOf(error)}; ${whatIsLeft(sandbox)}` };
  }
}

function whatIsLeft({ place }: Sandbox): string {
  return place.kind === 'job'
    ? `look for Job ${place.name} in namespace ${place.namespace}: kubectl delete job -n ${place.namespace} ${place.name}`
    : `look for container ${place.name}`;
}
