import { buildCommand } from '@stricli/core';
import type { CliContext } from '../../cli-context.ts';
import type { CommandHelp } from '../../flags/command-help.ts';
import { documented } from '../../flags/command-help.ts';
import type { FlagValues } from '../../flags/flag-definition.ts';
import { statusAliases, statusFlags } from './cluster-flags.ts';

const help: CommandHelp = {
  usage: 'tenant status [FLAG…]',
  description: `The clusters of the account, as the gateway tells of them. Ready at no node is the normal state: a node comes with
the first pod and goes when there is none that runs or waits.

Exit code: 0; 2 bad usage; 3 not signed in, no cluster of that name, or no answer.`,
  examples: [{ what: 'all of them', command: 'knotless-runner-k8s tenant status' }],
};

const command = buildCommand<FlagValues<typeof statusFlags>, [], CliContext>({
  loader: async () => (await import('./status-command.ts')).statusCommand,
  parameters: { flags: statusFlags, aliases: statusAliases },
  docs: { brief: 'tell of the session and the clusters' },
});

export const status = documented(command, help, statusFlags, statusAliases);
