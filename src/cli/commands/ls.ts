import { buildCommand } from '@stricli/core';
import type { CliContext } from '../cli-context.ts';
import type { CommandHelp } from '../flags/command-help.ts';
import { documented } from '../flags/command-help.ts';
import type { FlagValues } from '../flags/flag-definition.ts';
import { lsAliases, lsFlags } from './ls-flags.ts';

const help: CommandHelp = {
  usage: 'ls [FLAG…]',
  description: `Lists the runs that are on the cluster, in one namespace: their names, who they are for, how the cluster
sees them, their age and node. With --executor docker those on an engine, with their container.`,
  examples: [
    { what: 'in the namespace of the kubeconfig', command: 'knotless-runner-k8s ls' },
    {
      what: 'the names of those that wait, and why',
      command: `knotless-runner-k8s ls -n ci -o json |
  jq -r '.runs[] | select(.status == "Waiting") | [.name, .message] | @tsv'`,
    },
  ],
};

const command = buildCommand<FlagValues<typeof lsFlags>, [], CliContext>({
  loader: async () => (await import('./ls-command.ts')).lsCommand,
  parameters: { flags: lsFlags, aliases: lsAliases },
  docs: { brief: 'list the runs on the cluster' },
});

export const ls = documented(command, help, lsFlags, lsAliases);
