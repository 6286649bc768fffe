import { buildCommand } from '@stricli/core';
import type { CliContext } from '../cli-context.ts';
import type { CommandHelp } from '../flags/command-help.ts';
import { documented } from '../flags/command-help.ts';

const help: CommandHelp = {
  usage: 'attach NAME',
  description: `Shows the log of a run that is under way, from its first byte to its end, secrets masked. It reads the
file of the run's --log, so it works on the machine and for the user that the run was started by. Ctrl-C leaves
it and does nothing to the run.`,
  examples: [
    {
      what: 'in another terminal',
      command: 'knotless-runner-k8s attach build',
    },
  ],
};

const command = buildCommand<Record<never, never>, [name: string], CliContext>({
  loader: async () => (await import('./attach-command.ts')).attachCommand,
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'the name of the run', placeholder: 'NAME', parse: (text: string) => text }],
    },
  },
  docs: { brief: 'follow the log of a run that is under way here' },
});

export const attach = documented(command, help, {});
