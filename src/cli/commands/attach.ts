import { buildCommand } from '@stricli/core';
import type { CliContext } from '../cli-context.ts';
import type { CommandHelp } from '../flags/command-help.ts';
import { documented } from '../flags/command-help.ts';
import type { FlagValues } from '../flags/flag-definition.ts';
import { attachAliases, attachFlags } from './attach-flags.ts';

const help: CommandHelp = {
  usage: 'attach NAME [FLAG…]',
  description: `Shows the log of a run that is under way, from its first byte to its end, secrets masked. Ctrl-C leaves it and
does nothing to the run.

On the machine where the run was started, and for the same user, it reads the file of the run's --log. Elsewhere,
for a run without such a file, or when a flag is given, it reads from the run's pod, or with --executor
docker from its container, and needs every secret that the run has; without one of them it shows nothing.

Exit code: 0 the run's end was seen, however it ended; 2 there is no such run, or a secret is missing; 3 the run
could not be followed to its end, or the end of its log did not come; 129, 130, 143 left by a signal.`,
  examples: [
    { what: 'in another terminal', command: 'knotless-runner-k8s attach build' },
    {
      what: 'from another machine, a run with the secret API_TOKEN',
      command: 'knotless-runner-k8s attach build --kubeconfig tenant.yaml --secret API_TOKEN=@token',
    },
    { what: 'a run in a container', command: 'knotless-runner-k8s attach build --executor docker' },
  ],
};

const command = buildCommand<FlagValues<typeof attachFlags>, [name: string], CliContext>({
  loader: async () => (await import('./attach-command.ts')).attachCommand,
  parameters: {
    flags: attachFlags,
    aliases: attachAliases,
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'the name of the run', placeholder: 'NAME', parse: (text: string) => text }],
    },
  },
  docs: { brief: 'follow the log of a run that is under way' },
});

export const attach = documented(command, help, attachFlags, attachAliases);
