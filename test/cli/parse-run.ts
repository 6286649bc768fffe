import { buildApplication, run as runStricli } from '@stricli/core';
import type { CliContext } from '../../src/cli/cli-context.ts';
import { run } from '../../src/cli/commands/run.ts';
import { runFlags } from '../../src/cli/commands/run-flags.ts';
import { OptionReader } from '../../src/cli/flags/option-reader.ts';
import { splitArguments } from '../../src/cli/kubectl-habits.ts';
import { parseRunOptions } from '../../src/cli/options/parse-run-options.ts';
import type { RunOptions } from '../../src/cli/options/run-options.ts';

/** What the flags of `run` are read as, by the command's own parser. Rejects as the command would. */
export async function parseRun(context: CliContext, ...argv: string[]): Promise<RunOptions> {
  let parsed: Promise<RunOptions> | undefined;
  const command = {
    ...run.command,
    loader: async () =>
      function capture(this: CliContext, flags: Readonly<Record<string, unknown>>): void {
        parsed = parseRunOptions(new OptionReader(runFlags, flags, this.process.env), this);
      },
  };
  const app = buildApplication<CliContext>(command, {
    name: 'test',
    scanner: { caseStyle: 'original', allowArgumentEscapeSequence: true },
  });
  await runStricli(app, splitArguments(argv), context);
  if (parsed === undefined) throw new Error('stricli refused the command line');
  return await parsed;
}
