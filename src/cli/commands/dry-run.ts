import { stringify } from 'yaml';
import { dockerDryRunText } from '../../executor/docker/dry-run.ts';
import { dryRunText } from '../../executor/kubernetes/kubectl/dry-run.ts';
import type { Workflow } from '../../workflow/workflow.ts';
import type { OutputStream } from '../cli-context.ts';
import type { RunOptions } from '../options/run-options.ts';
import { print } from '../terminal/print.ts';
import { containerSettings } from './container-plan.ts';
import type { RunPlan } from './run-plan.ts';

/** Prints what a run would do, and touches nothing. Rejects with LocalWriteFailed where nobody can read it. */
export async function printDryRun(
  options: RunOptions,
  workflow: Workflow,
  plan: RunPlan,
  stdout: OutputStream,
): Promise<void> {
  await print(stdout, textOf(options, workflow, plan));
}

function textOf(options: RunOptions, workflow: Workflow, plan: RunPlan): string {
  const { timeoutMs, readyMs, orphanMs, graceMs } = plan.limits;
  const toYaml = (value: unknown): string => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
  const planned = {
    request: {
      run: { id: 'RUN-ID', name: options.name, runner: options.runner },
      image: plan.image,
      secretNames: Object.keys(options.secrets).sort(),
      limits: { readyMs, stepsMs: timeoutMs, orphanMs, graceMs },
      keep: options.keep,
    },
    steps: workflow.steps.length,
    sends: options.checkout !== undefined || options.sharedSteps !== undefined,
    fetches: options.outputs !== undefined,
  };
  if (options.executor === 'docker') {
    const { engine } = options;
    return dockerDryRunText({ ...planned, engine, container: containerSettings(plan.pod) }, toYaml);
  }
  const { kubeconfig, context, namespace, kubectl } = options.cluster;
  return dryRunText({ ...planned, kubeconfig, context, namespace, pod: plan.pod }, kubectl, toYaml);
}
