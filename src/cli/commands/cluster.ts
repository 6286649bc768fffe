import { buildCommand } from '@stricli/core';
import type { CliContext } from '../cli-context.ts';
import type { CommandHelp } from '../flags/command-help.ts';
import { documented } from '../flags/command-help.ts';
import type { FlagValues } from '../flags/flag-definition.ts';
import { clusterFlags } from './cluster-flags.ts';

const help: CommandHelp = {
  usage: 'cluster [FLAG…]',
  description: `Keeps an embedded cluster up until it is told to end (Ctrl-C), and prints the path of its kubeconfig on
standard output: a Kubernetes API whose pods are processes of this machine. Needs Linux.`,
  examples: [
    {
      what: 'in one terminal',
      command: 'knotless-runner-k8s cluster --node-delay 10s',
    },
    {
      what: 'in another, with the path that it printed',
      command: `export KUBECONFIG=PATH
knotless-runner-k8s run --name demo --workdir examples --steps-file examples/steps.tsv
kubectl get pods`,
    },
  ],
};

const command = buildCommand<FlagValues<typeof clusterFlags>, [], CliContext>({
  loader: async () => (await import('./cluster-command.ts')).clusterCommand,
  parameters: { flags: clusterFlags },
  docs: { brief: 'keep an embedded cluster up, for kubectl and for runs' },
});

export const cluster = documented(command, help, clusterFlags);
