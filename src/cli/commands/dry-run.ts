import { stringify } from 'yaml';
import { RunnerError } from '../../base/errors.ts';
import { dryRunText } from '../../executor/kubernetes/kubectl/dry-run.ts';
import type { Workflow } from '../../workflow/workflow.ts';
import type { OutputStream } from '../cli-context.ts';
import type { RunOptions } from '../options/run-options.ts';
import { SteadyWriter } from '../terminal/steady-writer.ts';
import type { RunPlan } from './run-plan.ts';

/** Prints what a run would do, and touches nothing. Rejects with LocalWriteFailed where nobody can read it. */
export async function printDryRun(
  options: RunOptions,
  workflow: Workflow,
  plan: RunPlan,
  stdout: OutputStream,
): Promise<void> {
  const { kubeconfig, context, namespace, kubectl } = options.cluster;
  const { timeoutMs, readyMs, orphanMs, graceMs } = plan.limits;
  const text = dryRunText(
    {
      kubeconfig,
      context,
      namespace,
      request: {
        run: { id: 'RUN-ID', name: options.name, runner: options.runner },
        image: plan.image,
        secretNames: Object.keys(options.secrets).sort(),
        limits: { readyMs, stepsMs: timeoutMs, orphanMs, graceMs },
        keep: options.keep,
      },
      pod: plan.pod,
      steps: workflow.steps.length,
      sends: options.checkout !== undefined || options.sharedSteps !== undefined,
      fetches: options.outputs !== undefined,
    },
    kubectl,
    (value) => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }),
  );
  const writer = new SteadyWriter(stdout);
  await writer.write(text);
  if (writer.failure !== null && !isReaderGone(writer.failure)) {
    throw new RunnerError(
      'LocalWriteFailed',
      `standard output cannot be written: ${writer.failure.message}`,
      {
        cause: writer.failure,
      },
    );
  }
}

/** `| head -1` has read what it wanted. */
const isReaderGone = (error: Error): boolean => 'code' in error && error.code === 'EPIPE';
