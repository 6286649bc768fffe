import { withDeadline } from '../base/deadline.ts';
import { asRunnerError, type RunnerError } from '../base/errors.ts';
import { buildResult, withTrouble } from './build-result.ts';
import { checkRequest } from './check-request.ts';
import { RunJournal } from './journal/run-journal.ts';
import { cleanUp } from './phases/cleanup.ts';
import { download } from './phases/download.ts';
import { runSteps } from './phases/steps.ts';
import { upload } from './phases/upload.ts';
import { waitForPlace } from './phases/wait.ts';
import { type PreparedRun, prepareRun } from './prepare-run.ts';
import type { RunResult } from './result-schema.ts';
import type { RunRequest } from './run-request.ts';
import type { ClosedRun, FetchedRun, OpenRun, WaitingRun } from './run-states.ts';
import { endingOf } from './status.ts';
import { noOutputs, skippedStep } from './step-results.ts';

/** How long a destination that hangs is waited for at the very end. */
const lastWriteMs = 10_000;

/**
 * Runs a workflow in a new place of the executor, or goes on in the one that a killed process left, and removes
 * the place again. Rejects only with bad input that was found before anything was created; whatever happens later
 * is in the result.
 */
export async function runWorkflow(request: RunRequest): Promise<RunResult> {
  await checkRequest(request);
  await using journal = await RunJournal.take(request);
  const prepared = await prepareRun(request, journal);
  using _ = prepared.waiting.context.halt;
  const closed = await conduct(prepared.waiting);
  const result = await tellResult(prepared, closed);
  await journal.finish(endForJournal(closed));
  return result;
}

function endForJournal({ place, ended, context }: ClosedRun): Parameters<RunJournal['finish']>[0] {
  if (place) return place.deleted || place.kept ? 'done' : 'left';
  if (context.journal.isResumed) return 'left'; // what the process before may have made, nobody has seen
  return ended?.reason.code === 'AlreadyExists' ? 'name taken' : 'done';
}

async function conduct(waiting: WaitingRun): Promise<ClosedRun> {
  const open = await waitForPlace(waiting);
  if (open.state === 'closed') {
    return open;
  }
  return cleanUp(await useUp(open).catch((error) => abandoned(open, asRunnerError(error))));
}

async function useUp(open: OpenRun): Promise<FetchedRun> {
  const loaded = await upload(open);
  return download(loaded.state === 'loaded' ? await runSteps(loaded) : loaded);
}

/** For a fault of this program: the place goes all the same. */
function abandoned({ context, sandbox }: OpenRun, error: RunnerError): FetchedRun {
  const { request, reporter } = context;
  const steps = request.workflow.steps.map((step) => skippedStep(step, reporter));
  return {
    state: 'fetched',
    context,
    sandbox,
    steps,
    ended: endingOf(error),
    outputs: noOutputs(request),
  };
}

async function tellResult({ log, events, writeResult }: PreparedRun, closed: ClosedRun): Promise<RunResult> {
  const { clock } = closed.context.request;
  const inTime = async (name: string, work: () => Promise<void>): Promise<RunnerError | null> => {
    try {
      await withDeadline(clock, { name, ms: lastWriteMs, code: 'LocalWriteFailed' }, undefined, work);
      return null;
    } catch (error) {
      return asRunnerError(error);
    }
  };
  const logTrouble = log && (await inTime("the log's end", () => log.close()));
  let result = buildResult(closed);
  const amend = (error: RunnerError | null | undefined): RunResult => {
    result = error ? withTrouble(result, endingOf(error).reason) : result;
    return result;
  };
  amend(logTrouble);
  const write = async (): Promise<void> => {
    amend(writeResult && (await inTime('the writing of the result', () => writeResult(result))));
  };
  await write();
  const written = result;
  amend(await inTime('the end of the events', async () => void (await events.finish(result, amend))));
  await inTime('the end of the events', () => events.close());
  if (result !== written) {
    await write();
  }
  return result;
}
