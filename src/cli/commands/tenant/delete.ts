import { buildCommand } from '@stricli/core';
import type { CliContext } from '../../cli-context.ts';
import type { CommandHelp } from '../../flags/command-help.ts';
import { documented } from '../../flags/command-help.ts';
import type { FlagValues } from '../../flags/flag-definition.ts';
import { clusterFlags } from './cluster-flags.ts';
import { gatewayAliases } from './gateway-flags.ts';

const help: CommandHelp = {
  usage: 'tenant delete [FLAG…]',
  description: `Deletes the cluster with all that is on it, waits until it is gone, and removes its kubeconfigs from the state
folder, a runner's as well. If it was the account's last cluster, it signs out too and removes the session.

Exit code: 0 it is gone, or was before; 2 bad usage; 3 it could not be deleted, or not within --wait-timeout.`,
  examples: [{ what: 'when the runs are done', command: 'knotless-runner-k8s tenant delete' }],
};

const command = buildCommand<FlagValues<typeof clusterFlags>, [], CliContext>({
  loader: async () => (await import('./delete-command.ts')).deleteCommand,
  parameters: { flags: clusterFlags, aliases: gatewayAliases },
  docs: { brief: 'delete the cluster, and what is kept of it here' },
});

export const deleteCluster = documented(command, help, clusterFlags, gatewayAliases);
