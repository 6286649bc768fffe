import { RunnerError } from '../../base/errors.ts';
import { anything } from './engine-objects.ts';
import { outlastEngine } from './outlast-engine.ts';
import type { RunTarget } from './run-target.ts';

/** Starts it; starting what runs already is no error to an engine. `misfit` says how the image and the engine differ. */
export async function startContainer(
  target: RunTarget,
  id: string,
  misfit: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { api, name } = target;
  const call = {
    method: 'POST',
    path: `/containers/${id}/start`,
    action: `start the container ${name}`,
    timeoutMs: 120_000,
    signal,
  } as const;
  try {
    await outlastEngine(target, 'starting the container', signal, () => api.request(call, anything));
  } catch (error) {
    throw error instanceof RunnerError ? notStarted(error, misfit) : error;
  }
}

function notStarted(error: RunnerError, misfit: string | undefined): RunnerError {
  if (error.retry || error.code === 'Forbidden' || error.code === 'Unauthorized') return error;
  const { message, code } = error;
  if (/exec format error/.test(message)) {
    const why = misfit ?? 'the image is for another kind of machine';
    return new RunnerError('UnsuitableImage', `${why}: ${message}`, { cause: error });
  }
  if (/executable file not found|no such file or directory/.test(message) || code === 'NotFound') {
    return new RunnerError('UnsuitableImage', `the image has no sh, which a run needs: ${message}`, {
      cause: error,
    });
  }
  return new RunnerError('ContainerConfig', message, { cause: error });
}
