import { buildCommand } from '@stricli/core';
import type { CliContext } from '../cli-context.ts';
import type { CommandHelp } from '../flags/command-help.ts';
import { documented } from '../flags/command-help.ts';
import type { FlagValues } from '../flags/flag-definition.ts';
import { runAliases, runFlags } from './run-flags.ts';

const help: CommandHelp = {
  usage: 'run --name NAME (--steps-file FILE | --workflow FILE) [FLAG…]',
  description: `Runs the steps as one Job on Kubernetes: sends the checkout to /work, runs each step there, fetches
what the steps left in /outputs, and deletes the Job.

Exit code: 0 the steps passed; 1 a step failed; 2 bad usage or input, nothing was created; 3 the run could
not be started, judged or finished; 4 a timeout; 129, 130, 143 cancelled by a signal. The first signal ends
the run in order, the second in haste, the third at once.`,
  examples: [
    {
      what: 'a first run, without any Kubernetes',
      command:
        'knotless-runner-k8s run --embedded --name demo --workdir examples --steps-file examples/steps.tsv',
    },
    {
      what: 'on the cluster of the kubeconfig, keeping log, result and outputs',
      command: `knotless-runner-k8s run --name build --image node:22 --workdir . --files git --workflow ci.yml \\
  --outputs out --log run.log --result result.json`,
    },
    {
      what: 'a variable, a secret from the variable TOKEN, a secret from a file',
      command: `knotless-runner-k8s run --name deploy --steps-file steps.tsv -e STAGE=test \\
  --secret TOKEN --secret KEY=@key.pem`,
    },
    {
      what: 'go on with a run whose runner was killed, from where it was',
      command: 'knotless-runner-k8s run --name build --workdir . --workflow ci.yml --log run.log --resume',
    },
    {
      what: 'see what it would do',
      command: 'knotless-runner-k8s run --name demo --steps-file steps.tsv --dry-run',
    },
  ],
};

const command = buildCommand<FlagValues<typeof runFlags>, [], CliContext>({
  loader: async () => (await import('./run-command.ts')).runCommand,
  parameters: { flags: runFlags, aliases: runAliases },
  docs: { brief: 'run a workflow as one Job' },
});

export const run = documented(command, help, runFlags, runAliases);
