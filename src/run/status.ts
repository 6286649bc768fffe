import type { ReasonCode, RunnerError } from '../base/errors.ts';
import type { StepUsage, StepVerdict } from '../executor/executor.ts';
import type { Step } from '../workflow/workflow.ts';
import type { Reason, RunStatus, StepResult } from './result-schema.ts';

/** What ended a run, or a step, badly. The first one of a run stands. */
export interface Ending {
  readonly status: Exclude<RunStatus, 'success'>;
  readonly reason: Reason;
}

export function endingOf(error: RunnerError): Ending {
  return { status: statusOfCode(error.code), reason: { code: error.code, message: error.message } };
}

function statusOfCode(code: ReasonCode): Ending['status'] {
  switch (code) {
    case 'ReadyTimeout':
    case 'StepTimeout':
    case 'RunTimeout':
      return 'timeout';
    case 'Cancelled':
      return 'cancelled';
    default:
      return 'error';
  }
}

/** As it may be kept in a file. */
export const maskedEnding = (ending: Ending | null, mask: { text(text: string): string }): Ending | null =>
  ending && { ...ending, reason: { ...ending.reason, message: mask.text(ending.reason.message) } };

/** How one step went: the verdict, or the trouble because of which there is none. */
export type StepOutcome =
  | { readonly kind: 'judged'; readonly verdict: StepVerdict }
  | { readonly kind: 'broken'; readonly error: RunnerError };

export interface StepJudgement extends Pick<StepResult, 'status' | 'exitCode' | 'signal' | 'reason'> {
  readonly usage: StepUsage;
  readonly warning: string | null;
}

const unknownUsage: StepUsage = { cpuMs: null, peakMemoryBytes: null, oomKilled: false };

/** `stoppedBy` is why the step was asked to stop, if it was. */
export function judgeStep(name: string, outcome: StepOutcome, stoppedBy: Ending | null): StepJudgement {
  if (outcome.kind === 'broken') {
    const ending = stoppedBy ?? endingOf(outcome.error);
    return { ...ending, exitCode: null, signal: null, usage: unknownUsage, warning: null };
  }
  const { verdict } = outcome;
  if (verdict.kind === 'exited') {
    return judgeExit(name, verdict.exitCode, verdict.usage, stoppedBy);
  }
  const ending = stoppedBy ?? stoppedUnasked(name);
  const { exitCode, signal, usage } = verdict;
  return { ...ending, exitCode, signal, usage, warning: null };
}

/** The step ended by itself, even if it was asked to stop a little later. */
function judgeExit(
  name: string,
  exitCode: number,
  usage: StepUsage,
  stoppedBy: Ending | null,
): StepJudgement {
  const judged = { exitCode, signal: null, usage, warning: null };
  if (stoppedBy?.status === 'error') {
    return { ...judged, ...stoppedBy }; // its log is not whole, so it must not pass
  }
  if (exitCode === 0) {
    const warning = usage.oomKilled
      ? `a process of step "${name}" was killed for want of memory, but the step passed`
      : null;
    return { ...judged, status: 'success', reason: null, warning };
  }
  return { ...judged, status: 'failed', reason: exitReason(name, exitCode, usage) };
}

function exitReason(name: string, exitCode: number, { oomKilled }: StepUsage): Reason {
  const message = `step "${name}" ended with exit code ${exitCode}`;
  return oomKilled
    ? { code: 'OOMKilled', message: `${message}: out of memory; give the run more with --memory` }
    : { code: 'StepFailed', message };
}

const stoppedUnasked = (name: string): Ending => ({
  status: 'error',
  reason: { code: 'ProtocolViolation', message: `step "${name}" was stopped, but nobody had asked for it` },
});

/** What a finished step means for the run: null where the run goes on as if nothing had been. */
export function endingOfStep(step: Pick<Step, 'continueOnError'>, judged: StepJudgement): Ending | null {
  if (judged.status === 'success' || judged.status === 'skipped' || judged.reason === null) {
    return null;
  }
  if (judged.status === 'failed' && step.continueOnError) {
    return null;
  }
  return { status: judged.status, reason: judged.reason };
}

/** Whether steps that are marked `always` still run after this. */
export const allowsAlwaysSteps = (ending: Ending): boolean =>
  ending.status === 'failed' || ending.reason.code === 'StepTimeout';

/** Codes that say that the place of the run is no more, so that nothing can be fetched from it. */
const placeIsGone: ReadonlySet<ReasonCode> = new Set([
  'OOMKilled',
  'Evicted',
  'PodDeleted',
  'PodFailed',
  'NodeLost',
  'DeadlineExceeded',
  'Unauthorized',
  // only told after the executor has tried for as long as the place may outlive us
  'ConnectionLost',
]);

export const leavesPlaceStanding = (ending: Ending | null): boolean =>
  ending === null || ending.status !== 'error' || !placeIsGone.has(ending.reason.code);
