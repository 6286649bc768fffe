import { buildCommand } from '@stricli/core';
import type { CliContext } from '../../cli-context.ts';
import type { CommandHelp } from '../../flags/command-help.ts';
import { documented } from '../../flags/command-help.ts';
import type { FlagValues } from '../../flags/flag-definition.ts';
import { clusterFlags } from './cluster-flags.ts';
import { gatewayAliases } from './gateway-flags.ts';

const help: CommandHelp = {
  usage: 'tenant create [FLAG…]',
  description: `Asks the gateway for a cluster and waits until it is Ready, telling what the gateway says meanwhile. One that is
there already is only waited for; one that is just being deleted is created when it is gone. A Ready cluster
has no node, as is normal: one comes with the first pod.

Exit code: 0 it is Ready; 2 bad usage; 3 it could not be, or not within --wait-timeout.`,
  examples: [{ what: 'after tenant sign-in', command: 'knotless-runner-k8s tenant create' }],
};

const command = buildCommand<FlagValues<typeof clusterFlags>, [], CliContext>({
  loader: async () => (await import('./create-command.ts')).createCommand,
  parameters: { flags: clusterFlags, aliases: gatewayAliases },
  docs: { brief: 'create the cluster, and wait until it is Ready' },
});

export const create = documented(command, help, clusterFlags, gatewayAliases);
