import { buildCommand } from '@stricli/core';
import type { CliContext } from '../cli-context.ts';
import type { CommandHelp } from '../flags/command-help.ts';
import { documented } from '../flags/command-help.ts';
import type { FlagValues } from '../flags/flag-definition.ts';
import { scopeAliases, scopeFlags } from './scope-flags.ts';

const help: CommandHelp = {
  usage: 'kubeconfig scope [--renew|--revoke] [FLAG…]',
  description: `From an admin's kubeconfig makes one that can do what this program does in one namespace, and little else: a
ServiceAccount, a Role, a RoleBinding and a token that ends. The new kubeconfig is tried before it is put in its
place: it can create Jobs, and cannot read nodes, secrets or another namespace. Its path is printed on standard
output. Safe to repeat: what is right stays, what differs is mended, what is somebody else's is refused.

Exit code: 0 all well; 2 bad usage, or something of that name is not ours; 3 it could not be made or proven.`,
  examples: [
    {
      what: 'a kubeconfig for a runner, for a day',
      command: `export KUBECONFIG=$(knotless-runner-k8s kubeconfig scope --kubeconfig admin.yaml -n ci)
knotless-runner-k8s doctor`,
    },
    {
      what: 'a new token, before the old one ends',
      command: 'knotless-runner-k8s kubeconfig scope --kubeconfig admin.yaml -n ci --renew',
    },
    {
      what: 'the end of all its tokens',
      command: 'knotless-runner-k8s kubeconfig scope --kubeconfig admin.yaml -n ci --revoke',
    },
  ],
};

const command = buildCommand<FlagValues<typeof scopeFlags>, [], CliContext>({
  loader: async () => (await import('./scope-command.ts')).scopeCommand,
  parameters: { flags: scopeFlags, aliases: scopeAliases },
  docs: { brief: "make a runner's narrow kubeconfig from an admin's" },
});

export const scope = documented(command, help, scopeFlags, scopeAliases);
