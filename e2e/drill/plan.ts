import type { PlannedFault } from './fault-choices.ts';
import type { Ground } from './ground.ts';
import { type PlannedStep, planSteps } from './planned-steps.ts';
import { SeededRandom } from './random.ts';

/** One run of the storm, the same for the same seed and number. */
export interface RunPlan {
  readonly number: number;
  readonly steps: readonly PlannedStep[];
  readonly faults: readonly PlannedFault[];
  readonly compress: 'gzip' | 'none';
}

export function planRun(ground: Ground, seed: number, number: number): RunPlan {
  const random = new SeededRandom(seed * 100_003 + number);
  const steps = planSteps(random);
  return {
    number,
    steps,
    faults: ground.planFaults(random, random.between(8, 16), steps.length),
    compress: random.chance(0.5) ? 'gzip' : 'none',
  };
}
