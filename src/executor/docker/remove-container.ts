import { RunnerError } from '../../base/errors.ts';
import type { EngineApi } from '../../engine/engine-api.ts';
import { anything } from './engine-objects.ts';

/** Process 1 ends on TERM at once, or within a second where somebody looks on. */
const stopSeconds = 2;
const stopMs = 10_000;
const removeMs = 60_000;

/**
 * Ends the container, so that who looks on gets the last lines, and removes it, with the volumes that its image
 * declares. Resolves also where there is none any more.
 */
export async function removeContainer(api: EngineApi, id: string, signal: AbortSignal): Promise<void> {
  const path = `/containers/${id}`;
  const stop = { method: 'POST', path: `${path}/stop`, query: { t: String(stopSeconds) } } as const;
  const action = 'end the container';
  try {
    await api.request({ ...stop, action, timeoutMs: stopMs, signal }, anything);
  } catch (error) {
    signal.throwIfAborted();
    // one that cannot be stopped, as one that does not run any more, can still be removed
    if (!(error instanceof RunnerError)) throw error;
  }
  const query = { force: 'true', v: 'true' };
  const remove = { method: 'DELETE', path, query, timeoutMs: removeMs, signal } as const;
  await unlessGone(async () => {
    try {
      await api.request({ ...remove, action: `remove the container ${id}` }, anything);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof RunnerError && isBeingRemoved(error))) throw error;
      const wait = {
        ...remove,
        method: 'POST',
        path: `${path}/wait`,
        query: { condition: 'removed' },
      } as const;
      await api.request({ ...wait, action: `wait until the container ${id} is removed` }, anything);
    }
  });
}

/** By its runner, while it is cancelled from elsewhere, or the other way round. */
const isBeingRemoved = (error: RunnerError): boolean =>
  error.code === 'Conflict' && error.message.includes('already in progress');

export async function unlessGone(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof RunnerError && error.code === 'NotFound')) throw error;
  }
}
