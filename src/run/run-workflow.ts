import { RunnerError } from '../base/errors.ts';
import type { RunResult } from './result-schema.ts';
import type { RunRequest } from './run-request.ts';

/**
 * Runs a workflow in a new place of the executor and removes the place again. Rejects only with bad input
 * that was found before anything was created; whatever happens later is in the result.
 */
export async function runWorkflow(request: RunRequest): Promise<RunResult> {
  throw new RunnerError('Internal', `not built yet: ${request.run.name}`);
}
