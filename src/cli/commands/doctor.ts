import { buildCommand } from '@stricli/core';
import type { CliContext } from '../cli-context.ts';
import type { CommandHelp } from '../flags/command-help.ts';
import { documented } from '../flags/command-help.ts';
import type { FlagValues } from '../flags/flag-definition.ts';
import { doctorAliases, doctorFlags } from './doctor-flags.ts';

const help: CommandHelp = {
  usage: 'doctor [--exec] [FLAG…]',
  description: `Checks, before a run needs it, what the kubeconfig and its cluster can do, and what to do about what they
cannot: the way there, the credentials, each right, whether a run with these flags would be admitted, quota,
nodes and clocks. Makes nothing without --exec.

Exit code: 0 all well, warnings or not; 2 bad usage; 3 something will not work.`,
  examples: [
    { what: 'before the first run', command: 'knotless-runner-k8s doctor -n ci' },
    {
      what: 'with the flags of the run, up to an exec in its pod',
      command: 'knotless-runner-k8s doctor -n ci --image node:22 --memory 2Gi --profile restricted --exec',
    },
  ],
};

const command = buildCommand<FlagValues<typeof doctorFlags>, [], CliContext>({
  loader: async () => (await import('./doctor-command.ts')).doctorCommand,
  parameters: { flags: doctorFlags, aliases: doctorAliases },
  docs: { brief: 'check what the cluster lets a run do' },
});

export const doctor = documented(command, help, doctorFlags, doctorAliases);
