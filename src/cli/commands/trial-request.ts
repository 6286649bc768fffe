import { randomBytes } from 'node:crypto';
import type { OpenRequest } from '../../executor/executor.ts';
import { newRunId } from '../../run/run-id.ts';

export interface TrialOptions {
  readonly image: string;
  readonly readyMs: number;
  readonly stepsMs: number;
}

/** A run of no steps, of a name that no other has. */
export function trialRequest({ image, readyMs, stepsMs }: TrialOptions): OpenRequest {
  const id = newRunId(randomBytes);
  return {
    run: { id, name: `doctor ${id}`, runner: undefined },
    image,
    secretNames: [],
    limits: { readyMs, stepsMs, orphanMs: 120_000, graceMs: 1_000 },
    keep: false,
  };
}
