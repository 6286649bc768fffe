import { randomBytes } from 'node:crypto';
import { systemClock } from '../../base/clock.ts';
import { exitCodeOf } from '../../run/exit-code.ts';
import { runWorkflow } from '../../run/run-workflow.ts';
import type { CliContext } from '../cli-context.ts';
import type { FlagValues } from '../flags/flag-definition.ts';
import { OptionReader } from '../flags/option-reader.ts';
import { parseRunOptions } from '../options/parse-run-options.ts';
import { chooseView } from '../terminal/choose-view.ts';
import { cancelOnSignals } from './cancel-on-signals.ts';
import { openExecutor } from './open-executor.ts';
import { readRecipe } from './read-recipe.ts';
import { prepareDestinations, takesStandardOutput } from './run-destinations.ts';
import { runFlags } from './run-flags.ts';
import { planRun } from './run-plan.ts';
import { tellResult } from './tell-result.ts';

/** `run`: from the command line to the exit code. */
export async function runCommand(this: CliContext, flags: FlagValues<typeof runFlags>): Promise<void> {
  const { process, signals } = this;
  const options = await parseRunOptions(new OptionReader(runFlags, flags, process.env), this);
  const workflow = await readRecipe(options.recipe);
  const plan = planRun(options, workflow);
  const destinations = await prepareDestinations(options, process.stdout);

  using signalled = cancelOnSignals(signals);
  const { cancel } = signalled;
  const clock = systemClock();
  const stream = takesStandardOutput(options) ? process.stderr : process.stdout;
  const { verbosity } = options;
  await using view = chooseView({ process, verbosity, stream, clock, steps: workflow.steps.length });
  const trace = verbosity === 'verbose' ? view.trace : () => {};
  await using place = await openExecutor({ options, plan, context: this, clock, trace });
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
    ...destinations,
    onEvent: view.show,
    onTrace: trace,
    cancel,
    clock,
    random: randomBytes,
  });
  await tellResult(result, options, this, view, stream);
  process.exitCode = exitCodeOf(result, cancel.cause);
}
