import { asRunnerError, RunnerError } from '../../base/errors.ts';
import type { Observer, OpenRequest, Place, Sandbox } from '../../executor/executor.ts';
import { noteProgress } from '../journal/note-progress.ts';
import type { RunJournal } from '../journal/run-journal.ts';
import { lastOutputsMs, Patience, partingMs, settlingMs } from '../patience.ts';
import type { ClosedRun, OpenRun, RunContext, WaitingRun } from '../run-states.ts';
import { type Ending, endingOf } from '../status.ts';
import { noOutputs, skippedStep } from '../step-results.ts';

/** An executor that was told to stop opening removes what it made, which may take it two minutes. */
const withdrawalMs = 150_000;

/**
 * Opens the run's place, or takes up the one that an earlier process left. Where that fails, nothing is left of
 * it and the run is over.
 */
export async function waitForPlace(run: WaitingRun): Promise<OpenRun | ClosedRun> {
  const { context, archive } = run;
  const { request, reporter, journal, halt } = context;
  if (halt.ending && !journal.isResumed) {
    return neverOpened(context, { ended: halt.ending, place: null, deleted: false });
  }
  await noteProgress(context, {}); // so that what is made from here on can be found again
  reporter.phase('wait');
  let { place } = journal.record;
  let deleted = true;
  const observer: Observer = {
    waiting: (waiting) => waiting && reporter.waiting(waiting),
    warning: (message) => reporter.warn(message),
    place: (known) => {
      place = known;
    },
    leftover: (message) => {
      deleted = false;
      reporter.warn(message);
    },
    cancelled: (by) => {
      // a signal that came before asks for the same; it must not make haste of it
      if (!request.cancel.inOrder.aborted) request.cancel.cancel('elsewhere', by);
      return request.limits.graceMs + settlingMs + lastOutputsMs;
    },
    trace: (message) => reporter.trace(message),
  };
  const name = 'the removal of what was made for the run';
  using parting = new Patience(request.clock, { name, from: request.cancel.leaving, ms: partingMs });
  using patience = new Patience(request.clock, {
    name,
    from: halt.signal,
    ms: withdrawalMs,
    atOnce: parting.signal,
  });
  const opening = openOrAdopt(context, observer);
  try {
    const sandbox = await patience.wait(opening);
    if (!journal.hasReached('open')) {
      await noteProgress(context, { state: 'open', place: sandbox.place });
    }
    return { state: 'open', context, sandbox, archive };
  } catch (thrown) {
    const error = hinted(asRunnerError(thrown), journal);
    if (patience.signal.aborted) {
      closeWhenOpen(opening);
      observer.leftover(`${error.message}; look for what is left`);
    }
    halt.end(endingOf(error)); // nothing needs to be listed any more
    return neverOpened(context, { ended: halt.ending ?? endingOf(error), place, deleted });
  }
}

/**
 * A place in which nothing was done yet is opened as if it were new: the executor knows it by the run's id. One
 * that was used is never made anew, since steps have run in it.
 */
async function openOrAdopt(context: RunContext, observer: Observer): Promise<Sandbox> {
  const { request, journal, halt } = context;
  const { executor } = request;
  const isUsed = journal.hasReached('open');
  if (!isUsed && !halt.ending) {
    return executor.open(openRequest(context), observer, halt.signal);
  }
  try {
    return await executor.adopt(openRequest(context), observer, halt.signal);
  } catch (thrown) {
    const error = asRunnerError(thrown);
    throw isUsed && error.code === 'NotFound'
      ? new RunnerError('PodDeleted', gone(error), { cause: error })
      : error;
  }
}

/** Most often the name is taken by what a killed runner of the same run left. */
const hinted = (error: RunnerError, { hidesAnother }: RunJournal): RunnerError =>
  error.code === 'AlreadyExists' && hidesAnother
    ? new RunnerError(error.code, `${error.message}; a killed runner left it: --resume takes it up`, {
        cause: error,
      })
    : error;

const gone = ({ message }: RunnerError): string =>
  `${message}; without a runner it ends after its --orphan-timeout, or somebody deleted it`;

function openRequest({ request, identity }: RunContext): OpenRequest {
  const { readyMs, orphanMs, graceMs, timeoutMs } = request.limits;
  return {
    run: identity,
    image: request.image,
    secretNames: Object.keys(request.secrets).sort(),
    limits: { readyMs, stepsMs: timeoutMs, orphanMs, graceMs },
    keep: request.keep,
  };
}

interface Unopened {
  readonly ended: Ending;
  readonly place: Place | null;
  readonly deleted: boolean;
}

function neverOpened(context: RunContext, { ended, place, deleted }: Unopened): ClosedRun {
  const { request, reporter, journal } = context;
  const { record } = journal;
  const skipped = request.workflow.steps
    .slice(record.steps.length)
    .map((step) => skippedStep(step, reporter));
  const isJudged = journal.hasReached('fetched') && deleted; // only the removal was left to do
  return {
    state: 'closed',
    context,
    place: place && wasMade(place) ? { place, kept: false, deleted } : null,
    steps: [...record.steps, ...skipped],
    ended: isJudged ? record.ended : (record.ended ?? ended),
    outputs: record.outputs ?? noOutputs(request),
  };
}

const wasMade = (place: Place): boolean => (place.kind === 'job' ? place.uid : place.id) !== null;

/** A place that comes up after all, when nobody waits for it any more, must not stay. */
function closeWhenOpen(opening: Promise<Sandbox>): void {
  opening.then(
    (sandbox) => sandbox.close(new AbortController().signal),
    () => {},
  );
}
