import type { Step } from '../../workflow/workflow.ts';
import { EndSwitch } from '../end-switch.ts';
import { noteProgress } from '../journal/note-progress.ts';
import type { StepResult } from '../result-schema.ts';
import type { LoadedRun, SteppedRun } from '../run-states.ts';
import { allowsAlwaysSteps, type Ending, maskedEnding } from '../status.ts';
import { skippedStep } from '../step-results.ts';
import { runStep } from './one-step.ts';

/** Runs the steps one after another, each at most once; of a run that was taken up, those that had not ended. */
export async function runSteps(run: LoadedRun): Promise<SteppedRun> {
  const { context, sandbox } = run;
  const { request, reporter, phases, journal, halt } = context;
  const before = journal.record;
  phases.enter('steps');
  reporter.phase('steps');
  using overtime = new EndSwitch();
  const { timeoutMs } = request.limits;
  const leftMs = Math.max(0, timeoutMs - phases.soFar().spent.steps);
  overtime.endAfter(request.clock, leftMs, runTimeout(timeoutMs));
  const steps: StepResult[] = [...before.steps];
  let ended: Ending | null = before.ended;
  let { isOver } = before;
  for (const [index, step] of request.workflow.steps.entries()) {
    if (index < before.steps.length) {
      continue;
    }
    const outside: Ending | null = halt.ending ?? overtime.ending;
    ended ??= outside;
    isOver ||= outside !== null;
    if (isOver || !isDue(step, ended)) {
      steps.push(skippedStep(step, reporter));
      continue;
    }
    const mayRun = journal.isResumed && index === before.steps.length;
    const ran = await runStep(context, sandbox, {
      index,
      step,
      overtime,
      since: mayRun ? new Date(before.savedAt) : null,
    });
    steps.push(ran.result);
    ended ??= ran.ending;
    isOver = ran.ending !== null && !allowsAlwaysSteps(ran.ending);
    isOver ||= !ran.settled;
    const noted = noteProgress(context, {
      steps: [...steps],
      ended: maskedEnding(ended, reporter),
      isOver,
      logBytes: reporter.logBytes,
    });
    // Of a step that ended by itself the place knows as much as we do, so the next one need not wait for the disk.
    if (ran.result.exitCode === null || ran.result.signal !== null) {
      await noted;
    }
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
