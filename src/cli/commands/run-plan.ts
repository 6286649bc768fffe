import type { PodSettings } from '../../executor/kubernetes/pod-settings.ts';
import type { TimeLimits } from '../../run/run-request.ts';
import type { Workflow } from '../../workflow/workflow.ts';
import { checkImage } from '../options/image-reference.ts';
import type { RunOptions } from '../options/run-options.ts';
import { parseCpu, parseMemory } from '../options/pod-values.ts';
import { runFlags } from './run-flags.ts';
import { parsePositiveDuration } from '../options/scalars.ts';

/** What options and workflow come to together: an option stands above the workflow, which stands above the default. */
export interface RunPlan {
  readonly image: string;
  readonly limits: TimeLimits;
  readonly pod: PodSettings;
}

export function planRun(options: RunOptions, workflow: Workflow): RunPlan {
  const { limits, pod } = options;
  const { cpu, memory } = workflow.resources;
  return {
    image: checkImage(options.image ?? workflow.image ?? runFlags.image.fallback),
    limits: {
      ...limits,
      timeoutMs: limits.timeoutMs ?? workflow.timeoutMs ?? parsePositiveDuration(runFlags.timeout.fallback),
    },
    pod: {
      ...pod,
      cpu: pod.cpu ?? (cpu === undefined ? undefined : parseCpu(cpu)),
      memory: pod.memory ?? (memory === undefined ? undefined : parseMemory(memory)),
    },
  };
}
