import type { CliContext } from '../cli-context.ts';
import type { FlagValues } from '../flags/flag-definition.ts';
import { OptionReader } from '../flags/option-reader.ts';
import { parseRunOptions } from '../options/parse-run-options.ts';
import { readRecipe } from './read-recipe.ts';
import { checkDestinations } from './run-destinations.ts';
import { runFlags } from './run-flags.ts';
import { planRun } from './run-plan.ts';

/** `run`: reads what is asked for, then does it or prints it. */
export async function runCommand(this: CliContext, flags: FlagValues<typeof runFlags>): Promise<void> {
  const options = await parseRunOptions(new OptionReader(runFlags, flags, this.process.env), this);
  const workflow = await readRecipe(options.recipe);
  const plan = planRun(options, workflow);
  await checkDestinations(options);
  if (options.dryRun) {
    const { printDryRun } = await import('./dry-run.ts');
    await printDryRun(options, workflow, plan, this.process.stdout);
    return;
  }
  const { performRun } = await import('./perform-run.ts');
  await performRun(options, workflow, plan, this);
}
