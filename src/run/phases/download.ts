import { type Unpacked, unpackOutputs } from '../../archive/unpack-outputs.ts';
import { asRunnerError, RunnerError } from '../../base/errors.ts';
import type { FetchOutcome } from '../../executor/executor.ts';
import { noteProgress } from '../journal/note-progress.ts';
import { outputPaths, placeOfOutput } from '../output-paths.ts';
import { lastOutputsMs, Patience } from '../patience.ts';
import type { RunResult } from '../result-schema.ts';
import type { OutputsRequest } from '../run-request.ts';
import type { FetchedRun, SteppedRun } from '../run-states.ts';
import { endingOf, leavesPlaceStanding, maskedEnding } from '../status.ts';
import { noOutputs } from '../step-results.ts';
import { TransferProgress } from '../transfer-progress.ts';

/** A connection that breaks costs one of them; what has landed is replaced. */
const attempts = 5;

/** Fetches the outputs, also of a run that ended badly, if any step ran and there is a place to fetch from. */
export async function download(run: SteppedRun): Promise<FetchedRun> {
  const { context, sandbox, steps } = run;
  const { request, reporter, phases, journal, halt } = context;
  if (journal.hasReached('fetched')) {
    const { ended, outputs } = journal.record;
    return { state: 'fetched', context, sandbox, steps, ended, outputs };
  }
  phases.enter('download');
  await noteProgress(context, {
    state: 'stepped',
    steps: [...steps],
    ended: maskedEnding(run.ended, reporter),
  });
  const landed: LandedSoFar = { unpacked: { files: 0, bytes: 0 } };
  let outputs: RunResult['outputs'] = noOutputs(request);
  let ended = run.ended ?? halt.ending;
  const isWorthwhile = steps.some(({ status }) => status !== 'skipped') && leavesPlaceStanding(run.ended);
  if (request.outputs && isWorthwhile && !request.cancel.hurried.aborted) {
    try {
      const whole = await fetchOutputs(run, request.outputs, landed);
      outputs = { ...whole, complete: true };
    } catch (error) {
      outputs = { ...landed.unpacked, complete: false };
      const trouble = endingOf(incomplete(error));
      ended ??= halt.ending;
      if (ended) {
        reporter.warn(trouble.reason.message);
      }
      ended ??= trouble;
    }
  }
  return { state: 'fetched', context, sandbox, steps, ended: ended ?? halt.ending, outputs };
}

interface LandedSoFar {
  unpacked: Unpacked;
}

async function fetchOutputs(
  run: SteppedRun,
  outputs: OutputsRequest,
  landed: LandedSoFar,
): Promise<Unpacked> {
  const { request, reporter } = run.context;
  reporter.phase('download');
  using patience = new Patience(request.clock, {
    name: "the outputs' end",
    from: request.cancel.inOrder,
    ms: lastOutputsMs,
    atOnce: request.cancel.hurried,
  });
  const progress = new TransferProgress(request.clock, (bytes, total) =>
    reporter.transfer('download', bytes, total),
  );
  try {
    return await patience.wait(unpackPatiently(run, outputs, { landed, progress, signal: patience.signal }));
  } finally {
    progress.finish();
  }
}

interface UnpackParts {
  readonly landed: LandedSoFar;
  readonly progress: TransferProgress;
  readonly signal: AbortSignal;
}

async function unpackPatiently(
  run: SteppedRun,
  outputs: OutputsRequest,
  parts: UnpackParts,
): Promise<Unpacked> {
  const { reporter } = run.context;
  for (let attempt = 1; ; attempt++) {
    const warnings: string[] = [];
    let broken: RunnerError | undefined;
    try {
      return await unpackAll(run, outputs, parts, (message) => warnings.push(message));
    } catch (thrown) {
      const error = asRunnerError(thrown);
      if (!error.retry || attempt === attempts || parts.signal.aborted) throw error;
      broken = error;
      reporter.trace(`fetching the outputs broke, starting it over: ${error.message}`);
    } finally {
      if (!broken) for (const message of warnings) reporter.warn(message);
    }
  }
}

async function unpackAll(
  { sandbox }: SteppedRun,
  outputs: OutputsRequest,
  { landed, progress, signal }: UnpackParts,
  warn: (message: string) => void,
): Promise<Unpacked> {
  const archive = await sandbox.fetch(outputPaths(outputs.collect), progress, signal);
  archive.outcome.catch(() => {}); // heard below, unless unpacking fails before
  const unpacked = await unpackOutputs(archive.bytes, {
    destination: outputs.folder,
    lastEntry: archive.lastEntry,
    place: placeOfOutput,
    limits: outputs,
    warn,
    progress: (soFar) => {
      landed.unpacked = soFar;
    },
    signal,
  });
  await tellOutcome(archive.outcome, warn);
  return unpacked;
}

async function tellOutcome(outcome: Promise<FetchOutcome>, warn: (message: string) => void): Promise<void> {
  const { missing, warnings, failure } = await outcome;
  for (const path of missing) {
    warn(`${path} was to be collected, but there is no such path in the pod`);
  }
  warnings.forEach(warn);
  if (failure !== null) {
    throw new RunnerError('OutputsIncomplete', `the outputs could not be read in the pod: ${failure}`);
  }
}

function incomplete(thrown: unknown): RunnerError {
  const error = asRunnerError(thrown);
  switch (error.code) {
    case 'OutputsIncomplete':
    case 'OutputsRefused':
    case 'LocalWriteFailed':
      return error;
    default:
      return new RunnerError('OutputsIncomplete', `the outputs could not be fetched: ${error.message}`, {
        cause: error,
      });
  }
}
