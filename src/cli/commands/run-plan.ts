import type { PodSettings } from '../../executor/kubernetes/pod-settings.ts';
import type { TimeLimits } from '../../run/run-request.ts';
import { parseTimeLimit } from '../../workflow/duration.ts';
import type { Workflow } from '../../workflow/workflow.ts';
import type { RunOptions } from '../options/run-options.ts';
import { runFlags } from './run-flags.ts';

/** What options and workflow come to together: an option stands above the workflow, which stands above the default. */
export interface RunPlan {
  readonly image: string;
  readonly limits: TimeLimits;
  readonly pod: PodSettings;
}

export function planRun(options: RunOptions, workflow: Workflow): RunPlan {
  const { limits, pod } = options;
  return {
    image: options.image ?? workflow.image ?? runFlags.image.fallback,
    limits: {
      ...limits,
      timeoutMs: limits.timeoutMs ?? workflow.timeoutMs ?? parseTimeLimit(runFlags.timeout.fallback),
    },
    pod: {
      ...pod,
      cpu: pod.cpu ?? workflow.resources.cpu,
      memory: pod.memory ?? workflow.resources.memory,
    },
  };
}
