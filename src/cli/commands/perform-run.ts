import { randomBytes } from 'node:crypto';
import { systemClock } from '../../base/clock.ts';
import { exitCodeOf } from '../../run/exit-code.ts';
import { SecretMask } from '../../run/masking/secret-mask.ts';
import { runWorkflow } from '../../run/run-workflow.ts';
import type { Workflow } from '../../workflow/workflow.ts';
import type { CliContext } from '../cli-context.ts';
import type { RunOptions } from '../options/run-options.ts';
import { chooseView } from '../terminal/choose-view.ts';
import { cancelOnSignals } from './cancel-on-signals.ts';
import { journalOfRun } from './journal-of-run.ts';
import { openExecutor } from './open-executor.ts';
import { makeDestinations, takesStandardOutput } from './run-destinations.ts';
import type { RunPlan } from './run-plan.ts';
import { tellResult } from './tell-result.ts';

/** Runs the workflow in front of a person, and leaves the exit code that it came to. */
export async function performRun(
  options: RunOptions,
  workflow: Workflow,
  plan: RunPlan,
  context: CliContext,
): Promise<void> {
  const { process, signals } = context;
  const destinations = await makeDestinations(options, process.stdout);
  using signalled = cancelOnSignals(signals);
  const { cancel } = signalled;
  const clock = systemClock();
  const stream = takesStandardOutput(options) ? process.stderr : process.stdout;
  const { verbosity } = options;
  await using view = chooseView({ process, verbosity, stream, clock, steps: workflow.steps.length });
  const trace = verbosity === 'verbose' ? maskedTrace(view.trace, options.secrets) : () => {};
  await using place = await openExecutor({ options, plan, context, clock, trace });
  const journal = await journalOfRun(options.name, place, context);
  const result = await runWorkflow({
    run: { name: options.name, runner: options.runner },
    workflow,
    image: plan.image,
    executor: place.executor,
    checkout: options.checkout,
    sharedSteps: options.sharedSteps,
    outputs: options.outputs,
    secrets: options.secrets,
    environment: options.environment,
    limits: plan.limits,
    keep: options.keep,
    journal,
    resume: options.resume,
    ...destinations,
    onEvent: view.show,
    onTrace: trace,
    cancel,
    clock,
    random: randomBytes,
  });
  await tellResult(result, options, context, view, stream);
  process.exitCode = exitCodeOf(result, cancel.cause);
}

/** The executor tells its traces itself, and object names come from a run's name: they may hold a secret. */
function maskedTrace(
  trace: (message: string) => void,
  secrets: RunOptions['secrets'],
): (message: string) => void {
  const mask = new SecretMask(secrets);
  return (message) => trace(mask.text(message));
}
