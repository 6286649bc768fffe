import type { Command } from '@stricli/core';
import { buildCommand } from '@stricli/core';
import { badInput } from '../../base/errors.ts';
import type { CliContext } from '../cli-context.ts';
import type { DocumentedCommand } from '../flags/command-help.ts';
import { quote } from '../options/scalars.ts';
import { programName } from '../program-name.ts';

export interface HelpCommand {
  readonly command: Command<CliContext>;
  readonly overview: () => string;
  /** The help of a command, or of all whose first word this is. */
  readonly of: (name: string) => string;
}

const brief = 'print the help of a command';

/** `help`, and `help COMMAND`: what `--help` prints there. A command may be of two words. */
export function helpCommand(commands: Readonly<Record<string, DocumentedCommand>>): HelpCommand {
  const overview = (): string => formatOverview({ ...commands, help: { brief } });
  const command = buildCommand<Record<never, never>, string[], CliContext>({
    func(_flags, ...words) {
      const name = words.join(' ');
      this.process.stdout.write(name === '' || name === 'help' ? overview() : helpOf(name));
    },
    parameters: {
      positional: {
        kind: 'array',
        parameter: { brief: 'the command', placeholder: 'COMMAND', parse: (text: string) => text },
      },
    },
    docs: { brief },
  });
  return { command: { ...command, formatHelp: overview }, overview, of: helpOf };

  function helpOf(name: string): string {
    const found = Object.entries(commands).find(([candidate]) => candidate === name);
    if (found !== undefined) return found[1].helpText();
    const group = Object.entries(commands).filter(([candidate]) => candidate.startsWith(`${name} `));
    if (group.length > 0) return formatOverview(Object.fromEntries(group));
    throw badInput(
      `there is no command ${quote(name)}; the commands are ${Object.keys(commands).join(', ')}`,
    );
  }
}

function formatOverview(commands: Readonly<Record<string, { readonly brief: string }>>): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const lines = Object.entries(commands).map(
    ([name, command]) => `  ${name.padEnd(width)}  ${command.brief}`,
  );
  return `Usage: ${programName} COMMAND [FLAG…]

Runs CI workflows on Kubernetes: one Job per run, one exec per step, nothing needed in the cluster.

Commands:
${lines.join('\n')}

Examples:
  # a first run, without any Kubernetes
  ${programName} run --embedded --name demo --workdir examples --steps-file examples/steps.tsv

  # the flags of a command
  ${programName} run --help

  ${programName} --version
`;
}
