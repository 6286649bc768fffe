import type { Step } from '../../workflow/workflow.ts';
import { EndSwitch } from '../end-switch.ts';
import type { StepResult } from '../result-schema.ts';
import type { LoadedRun, SteppedRun } from '../run-states.ts';
import { allowsAlwaysSteps, type Ending } from '../status.ts';
import { skippedStep } from '../step-results.ts';
import { runStep } from './one-step.ts';

/** Runs the steps one after another, each at most once. */
export async function runSteps(run: LoadedRun): Promise<SteppedRun> {
  const { context, sandbox } = run;
  const { request, reporter, phases, halt } = context;
  phases.enter('steps');
  reporter.phase('steps');
  using overtime = new EndSwitch();
  overtime.endAfter(request.clock, request.limits.timeoutMs, runTimeout(request.limits.timeoutMs));
  const steps: StepResult[] = [];
  let ended: Ending | null = null;
  let isOver = false;
  for (const [index, step] of request.workflow.steps.entries()) {
    const outside: Ending | null = halt.ending ?? overtime.ending;
    ended ??= outside;
    isOver ||= outside !== null;
    if (isOver || !isDue(step, ended)) {
      steps.push(skippedStep(step, reporter));
      continue;
    }
    const ran = await runStep(context, sandbox, { index, step, overtime });
    steps.push(ran.result);
    ended ??= ran.ending;
    isOver = ran.ending !== null && !allowsAlwaysSteps(ran.ending);
    isOver ||= !ran.settled;
  }
  return { state: 'stepped', context, sandbox, steps, ended };
}

const isDue = (step: Step, ended: Ending | null): boolean =>
  ended === null || (step.always && allowsAlwaysSteps(ended));

const runTimeout = (ms: number): Ending => ({
  status: 'timeout',
  reason: {
    code: 'RunTimeout',
    message: `the steps took longer than ${ms / 1000} s altogether; --timeout allows more`,
  },
});
