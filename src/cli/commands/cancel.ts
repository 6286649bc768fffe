import { buildCommand } from '@stricli/core';
import type { CliContext } from '../cli-context.ts';
import type { CommandHelp } from '../flags/command-help.ts';
import { documented } from '../flags/command-help.ts';
import type { FlagValues } from '../flags/flag-definition.ts';
import { cancelAliases, cancelFlags } from './cancel-flags.ts';

const help: CommandHelp = {
  usage: 'cancel NAME [FLAG…]',
  description: `Ends a run, from anywhere: its runner reports it as cancelled and ends with exit code 143. Waits until the
run's pod, or container, is gone. The steps are not asked to end in order, and no outputs are fetched; for that, send the
runner a signal.

Exit code: 0 the run is gone; 2 there is no such run; 3 it could not be ended, or not within two minutes.`,
  examples: [
    { what: 'the run that was started with --name build', command: 'knotless-runner-k8s cancel build' },
  ],
};

const command = buildCommand<FlagValues<typeof cancelFlags>, [name: string], CliContext>({
  loader: async () => (await import('./cancel-command.ts')).cancelCommand,
  parameters: {
    flags: cancelFlags,
    aliases: cancelAliases,
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'the name of the run', placeholder: 'NAME', parse: (text) => text }],
    },
  },
  docs: { brief: 'end a run on the cluster' },
});

export const cancel = documented(command, help, cancelFlags, cancelAliases);
