import { withDeadline } from '../base/deadline.ts';
import { asRunnerError, type RunnerError } from '../base/errors.ts';
import { buildResult, withTrouble } from './build-result.ts';
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
 * Runs a workflow in a new place of the executor and removes the place again. Rejects only with bad input that
 * was found before anything was created; whatever happens later is in the result.
 */
export async function runWorkflow(request: RunRequest): Promise<RunResult> {
  const prepared = await prepareRun(request);
  using _ = prepared.waiting.context.halt;
  return tellResult(prepared, await conduct(prepared.waiting));
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
