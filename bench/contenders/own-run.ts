import { randomBytes, randomUUID } from 'node:crypto';
import { CancelSource } from '../../src/run/cancel-source.ts';
import type { RunEvent } from '../../src/run/event-schema.ts';
import type { RunResult } from '../../src/run/result-schema.ts';
import type { RunRequest } from '../../src/run/run-request.ts';
import { runWorkflow } from '../../src/run/run-workflow.ts';
import type { Stage } from '../stage.ts';

export interface OwnRun {
  readonly commands: readonly string[];
  readonly checkout?: string;
  readonly outputs?: string;
  readonly cancel?: CancelSource;
  readonly onEvent?: (event: RunEvent) => void;
}

/** A whole run by the library, in this process. */
export function ownRun({ executor, image, clock }: Stage, run: OwnRun): Promise<RunResult> {
  const request: RunRequest = {
    run: { name: `bench ${randomUUID()}`, runner: undefined },
    workflow: {
      image: undefined,
      environment: {},
      timeoutMs: undefined,
      resources: { cpu: undefined, memory: undefined },
      steps: run.commands.map((command, index) => ({
        name: `step ${index}`,
        command,
        environment: {},
        secrets: 'all',
        timeoutMs: undefined,
        continueOnError: false,
        always: false,
      })),
    },
    image,
    executor,
    checkout: run.checkout === undefined ? undefined : { folder: run.checkout, files: 'all', exclude: [] },
    outputs:
      run.outputs === undefined
        ? undefined
        : { folder: run.outputs, collect: [], maxBytes: 1e10, maxFiles: 1e6 },
    secrets: {},
    environment: {},
    limits: { timeoutMs: 1_800_000, readyMs: 120_000, orphanMs: 120_000, graceMs: 5_000 },
    keep: false,
    onEvent: run.onEvent,
    cancel: run.cancel ?? new CancelSource(),
    clock,
    random: randomBytes,
  };
  return runWorkflow(request);
}

/** Throws where the run was anything but a success. */
export async function ownSuccess(stage: Stage, run: OwnRun): Promise<RunResult> {
  const result = await ownRun(stage, run);
  if (result.status !== 'success')
    throw new Error(`the run: ${result.reason?.code}: ${result.reason?.message}`);
  return result;
}
