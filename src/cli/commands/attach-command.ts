import { badInput, RunnerError } from '../../base/errors.ts';
import { type LiveRun, liveRuns } from '../../run/journal/live-runs.ts';
import type { CliContext } from '../cli-context.ts';
import type { FlagValues } from '../flags/flag-definition.ts';
import { OptionReader } from '../flags/option-reader.ts';
import { journalFolder } from '../journal-folder.ts';
import { parseRunName } from '../options/run-name.ts';
import { quote } from '../options/scalars.ts';
import { attachFlags } from './attach-flags.ts';

/** `attach`: the masked log of a live run, as it grows, from its file or from its pod or container. */
export async function attachCommand(
  this: CliContext,
  flags: FlagValues<typeof attachFlags>,
  given: string,
): Promise<void> {
  const name = parseRunName(given);
  const { verbose: _, ...chosen } = flags;
  const mayBeHere = Object.values(chosen).every((value) => value === undefined);
  const here = mayBeHere ? await runHere(this, name) : undefined;
  if (here !== undefined) {
    const { attachToFile } = await import('./attach-to-file.ts');
    return attachToFile(this, here);
  }
  const { attachToPlace } = await import('./attach-to-place.ts');
  try {
    await attachToPlace(this, new OptionReader(attachFlags, flags, this.process.env), name);
  } catch (error) {
    if (!mayBeHere || !(error instanceof RunnerError && error.code === 'BadInput')) throw error;
    throw badInput(
      `no run ${quote(name)} with a --log file is under way on this machine; elsewhere: ${error.message}`,
      error,
    );
  }
}

/** The one run of this name that this user conducts on this machine, if its log can be read. */
async function runHere(context: CliContext, name: string): Promise<(LiveRun & { log: string }) | undefined> {
  const [run, ...others] = await liveRuns(journalFolder(context), name);
  return run?.log != null && others.length === 0 ? { ...run, log: run.log } : undefined;
}
