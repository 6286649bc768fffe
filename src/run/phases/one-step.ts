import { asRunnerError } from '../../base/errors.ts';
import type { Sandbox } from '../../executor/executor.ts';
import type { Step } from '../../workflow/workflow.ts';
import { EndSwitch } from '../end-switch.ts';
import { Patience, settlingMs } from '../patience.ts';
import type { StepResult } from '../result-schema.ts';
import type { RunContext } from '../run-states.ts';
import { type Ending, endingOfStep, judgeStep, type StepJudgement, type StepOutcome } from '../status.ts';
import { stepEnvironment } from '../step-environment.ts';
import type { StepOutputWriter } from '../step-output-writer.ts';

export interface DueStep {
  readonly index: number;
  readonly step: Step;
  /** Ends when the run's time is up. */
  readonly overtime: EndSwitch;
  /** When an earlier process may have begun it; null where none has. */
  readonly since: Date | null;
}

export interface RanStep {
  readonly result: StepResult;
  /** Null where the run goes on as if nothing had been. */
  readonly ending: Ending | null;
  /** False where nobody was heard any more, so that the step may still be running. */
  readonly settled: boolean;
}

export async function runStep(context: RunContext, sandbox: Sandbox, due: DueStep): Promise<RanStep> {
  const { request, reporter, halt } = context;
  const { step, overtime } = due;
  using stop = new EndSwitch();
  for (const outside of [halt, overtime]) {
    stop.endWhen(outside.signal, () => outside.ending);
  }
  using patience = new Patience(request.clock, {
    name: `the end of step "${step.name}"`,
    from: stop.signal,
    ms: request.limits.graceMs + settlingMs,
    atOnce: request.cancel.hurried,
  });
  const now = request.clock.date();
  const startedAt = (due.since ?? now).toISOString();
  const begun = request.clock.now() - Math.max(0, now.getTime() - (due.since ?? now).getTime());
  const output = reporter.step(step.name);
  const outcome = await outcomeOf({ context, sandbox, due, output, stop, patience });
  const judged = judgeStep(step.name, outcome, stop.ending);
  if (judged.warning !== null) {
    reporter.warn(judged.warning);
  }
  const result: StepResult = {
    name: reporter.text(step.name),
    ...judgedFields(judged),
    reason: judged.reason && { ...judged.reason, message: reporter.text(judged.reason.message) },
    continueOnError: step.continueOnError,
    startedAt,
    durationMs: Math.round(request.clock.now() - begun),
    log: output.range,
  };
  reporter.stepFinished(result);
  const ending = endingOfStep(step, judged);
  return {
    result,
    ending: ending && (halt.ending ?? overtime.ending ?? ending), // the first one stands
    settled: !patience.signal.aborted,
  };
}

interface StepParts {
  readonly context: RunContext;
  readonly sandbox: Sandbox;
  readonly due: DueStep;
  readonly output: StepOutputWriter;
  readonly stop: EndSwitch;
  readonly patience: Patience;
}

async function outcomeOf(parts: StepParts): Promise<StepOutcome> {
  const { context, sandbox, due, output, stop, patience } = parts;
  const { request, identity, reporter, journal } = context;
  const { step, index } = due;
  const { steps, environment } = request.workflow;
  try {
    reporter.stepStarted(step.name, index);
    await patience.wait(output.start());
    stop.signal.throwIfAborted();
    stopAfterItsTime(parts);
    const variables = stepEnvironment(step, {
      run: identity,
      workflow: environment,
      caller: request.environment,
      secrets: request.secrets,
    });
    const verdict = await patience.wait(
      sandbox.runStep(
        {
          index,
          nonce: journal.nonce(index),
          name: step.name,
          command: step.command,
          ...variables,
          following: steps.length - index - 1,
        },
        (bytes) => output.write(bytes),
        { stop: stop.signal, abandon: patience.signal },
      ),
    );
    await patience.wait(output.end(verdict.kind === 'stopped'));
    return { kind: 'judged', verdict };
  } catch (error) {
    if (!patience.signal.aborted) {
      await patience.wait(output.end(true)).catch(() => {});
    }
    output.drop();
    return { kind: 'broken', error: asRunnerError(error) };
  }
}

function stopAfterItsTime({ context, due, stop }: StepParts): void {
  const { clock, limits } = context.request;
  const { name, timeoutMs } = due.step;
  const ms = Math.min(
    limits.stepTimeoutMs ?? Number.POSITIVE_INFINITY,
    timeoutMs ?? Number.POSITIVE_INFINITY,
  );
  if (ms !== Number.POSITIVE_INFINITY) {
    const message = `step "${name}" took longer than ${ms / 1000} s; its timeout or --step-timeout allows more`;
    stop.endAfter(clock, ms, { status: 'timeout', reason: { code: 'StepTimeout', message } });
  }
}

const judgedFields = ({ status, exitCode, signal, usage }: StepJudgement) => ({
  status,
  exitCode,
  signal,
  cpuMs: usage.cpuMs,
  peakMemoryBytes: usage.peakMemoryBytes,
});
