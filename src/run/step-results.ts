import type { Step } from '../workflow/workflow.ts';
import type { Reporter } from './reporter.ts';
import type { RunResult, StepResult } from './result-schema.ts';
import type { RunRequest } from './run-request.ts';

export const skippedStep = (step: Step, reporter: Reporter): StepResult => ({
  name: reporter.text(step.name),
  status: 'skipped',
  exitCode: null,
  signal: null,
  reason: null,
  continueOnError: step.continueOnError,
  startedAt: null,
  durationMs: null,
  log: null,
  cpuMs: null,
  peakMemoryBytes: null,
});

/** The outputs of a run from which nothing was fetched. */
export const noOutputs = (request: RunRequest): RunResult['outputs'] =>
  request.outputs ? { files: 0, bytes: 0, complete: false } : null;
