import { buildCommand } from '@stricli/core';
import type { CliContext } from '../cli-context.ts';
import type { CommandHelp } from '../flags/command-help.ts';
import { documented } from '../flags/command-help.ts';
import type { FlagValues } from '../flags/flag-definition.ts';
import { cancelAliases, cancelFlags } from './cancel-flags.ts';

const help: CommandHelp = {
  usage: 'cancel NAME [FLAG…]',
  description: `Ends a run, from anywhere. Its runner is asked to, and ends it as by a termination signal: the steps are ended
in order, the log is kept, the outputs are fetched, the Job is deleted; it reports the run as cancelled and ends with
exit code 143. Where no runner answers within 15 s, or it takes longer than it said, the Job is deleted from here.
Waits until the run's pod is gone. With --executor docker the same of a run's container.

Exit code: 0 the run is gone; 2 there is no such run; 3 it could not be ended, or its pod not within two minutes;
129, 130, 143 left by a signal (the run may still end).`,
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
