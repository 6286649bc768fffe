import { asRunnerError, type RunnerError } from '../../src/base/errors.ts';
import type { Executor, OpenRequest } from '../../src/executor/executor.ts';
import { Recorder } from './recorder.ts';

export interface Refusal {
  readonly error: RunnerError;
  readonly observer: Recorder;
  readonly ms: number;
}

/** Opens what cannot be opened. */
export async function refusedBy(executor: Executor, request: OpenRequest): Promise<Refusal> {
  const observer = new Recorder();
  const began = performance.now();
  const error = await executor.open(request, observer, AbortSignal.timeout(90_000)).then(
    async (sandbox) => {
      await sandbox.close(AbortSignal.timeout(30_000));
      throw new Error('it was opened');
    },
    (thrown: unknown) => asRunnerError(thrown),
  );
  return { error, observer, ms: performance.now() - began };
}
