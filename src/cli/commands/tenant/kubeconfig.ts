import { buildCommand } from '@stricli/core';
import type { CliContext } from '../../cli-context.ts';
import type { CommandHelp } from '../../flags/command-help.ts';
import { documented } from '../../flags/command-help.ts';
import type { FlagValues } from '../../flags/flag-definition.ts';
import { clusterFlags } from './cluster-flags.ts';
import { gatewayAliases } from './gateway-flags.ts';

const help: CommandHelp = {
  usage: 'tenant kubeconfig [FLAG…]',
  description: `Waits until the cluster is Ready, keeps its kubeconfig as NAME.kubeconfig.yaml in the state folder, 0600, and
prints that path. It is an admin's; kubeconfig scope makes a runner's from it. One that leads elsewhere than to the
gateway, or would make kubectl run a program or read a file of this machine, is refused.

Exit code: 0 it is there; 2 bad usage; 3 it could not be had, or not within --wait-timeout.`,
  examples: [
    {
      what: 'for kubectl and for runs',
      command: 'export KUBECONFIG=$(knotless-runner-k8s tenant kubeconfig)',
    },
  ],
};

const command = buildCommand<FlagValues<typeof clusterFlags>, [], CliContext>({
  loader: async () => (await import('./kubeconfig-command.ts')).kubeconfigCommand,
  parameters: { flags: clusterFlags, aliases: gatewayAliases },
  docs: { brief: "get the cluster's kubeconfig" },
});

export const kubeconfig = documented(command, help, clusterFlags, gatewayAliases);
