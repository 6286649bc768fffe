import { buildCommand } from '@stricli/core';
import type { CliContext } from '../cli-context.ts';
import type { CommandHelp } from '../flags/command-help.ts';
import { documented } from '../flags/command-help.ts';
import type { FlagValues } from '../flags/flag-definition.ts';
import { pruneAliases, pruneFlags } from './prune-flags.ts';

const help: CommandHelp = {
  usage: 'prune [--yes] [FLAG…]',
  description: `Lists what runs left over in one namespace, and removes it with --yes: Jobs that the cluster calls ended,
those of --keep among them, and NetworkPolicies whose pod is gone. A run that waits or runs is never touched;
the pod of one whose runner died ends by itself, and its Job is left over then.

With --executor docker the same of one engine: containers that have ended or were never started, and networks.

Exit code: 0 all well; 3 something could not be listed or removed.`,
  examples: [
    { what: 'see what there is', command: 'knotless-runner-k8s prune -n ci' },
    { what: 'and remove it', command: 'knotless-runner-k8s prune -n ci --yes' },
  ],
};

const command = buildCommand<FlagValues<typeof pruneFlags>, [], CliContext>({
  loader: async () => (await import('./prune-command.ts')).pruneCommand,
  parameters: { flags: pruneFlags, aliases: pruneAliases },
  docs: { brief: 'remove what runs left over' },
});

export const prune = documented(command, help, pruneFlags, pruneAliases);
