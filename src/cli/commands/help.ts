import type { Command } from '@stricli/core';
import { buildCommand } from '@stricli/core';
import { badInput } from '../../base/errors.ts';
import type { CliContext } from '../cli-context.ts';
import type { DocumentedCommand } from '../flags/command-help.ts';
import { quote } from '../options/scalars.ts';
import { programName } from '../program-name.ts';

interface HelpCommand {
  readonly command: Command<CliContext>;
  readonly overview: () => string;
}

const brief = 'print the help of a command';

/** `help`, and `help COMMAND`: what `--help` prints there. */
export function helpCommand(commands: Readonly<Record<string, DocumentedCommand>>): HelpCommand {
  const overview = (): string => formatOverview({ ...commands, help: { brief } });
  const command = buildCommand<Record<never, never>, [name?: string], CliContext>({
    func(_flags, name) {
      this.process.stdout.write(name === undefined || name === 'help' ? overview() : helpOf(name));
    },
    parameters: {
      positional: {
        kind: 'tuple',
        parameters: [{ brief: 'the command', parse: (text: string) => text, optional: true }],
      },
    },
    docs: { brief },
  });
  return { command: { ...command, formatHelp: overview }, overview };

  function helpOf(name: string): string {
    const found = Object.entries(commands).find(([candidate]) => candidate === name);
    if (found === undefined) {
      throw badInput(
        `there is no command ${quote(name)}; the commands are ${Object.keys(commands).join(', ')}`,
      );
    }
    return found[1].helpText();
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
