import { asRunnerError } from '../../base/errors.ts';
import type { Observer, OpenRequest, Place, Sandbox } from '../../executor/executor.ts';
import { Patience, partingMs } from '../patience.ts';
import type { ClosedRun, OpenRun, RunContext, WaitingRun } from '../run-states.ts';
import { type Ending, endingOf } from '../status.ts';
import { noOutputs, skippedStep } from '../step-results.ts';

/** An executor that was told to stop opening removes what it made, which may take it two minutes. */
const withdrawalMs = 150_000;

/** Opens the run's place. Where that fails, nothing is left of it and the run is over. */
export async function waitForPlace(run: WaitingRun): Promise<OpenRun | ClosedRun> {
  const { context, archive } = run;
  const { request, reporter, halt } = context;
  if (halt.ending) {
    return neverOpened(context, halt.ending, null, false);
  }
  reporter.phase('wait');
  let place: Place | null = null;
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
  const opening = request.executor.open(openRequest(context), observer, halt.signal);
  try {
    const sandbox = await patience.wait(opening);
    return { state: 'open', context, sandbox, archive };
  } catch (thrown) {
    const error = asRunnerError(thrown);
    if (patience.signal.aborted) {
      closeWhenOpen(opening);
      observer.leftover(`${error.message}; look for what is left`);
    }
    halt.end(endingOf(error)); // nothing needs to be listed any more
    return neverOpened(context, halt.ending ?? endingOf(error), place, deleted);
  }
}

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

function neverOpened(context: RunContext, ended: Ending, place: Place | null, deleted: boolean): ClosedRun {
  const { request, reporter } = context;
  return {
    state: 'closed',
    context,
    place: place && wasMade(place) ? { place, kept: false, deleted } : null,
    steps: request.workflow.steps.map((step) => skippedStep(step, reporter)),
    ended,
    outputs: noOutputs(request),
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
