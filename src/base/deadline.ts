import type { Clock } from './clock.ts';
import type { ReasonCode } from './errors.ts';
import { RunnerError } from './errors.ts';

export interface Deadline {
  /** What is waited for, as the message names it: "the answer to GET /version". */
  readonly name: string;
  readonly ms: number;
  readonly code?: ReasonCode;
}

/**
 * Runs `work` with a signal that is aborted when the deadline passes or `parent` is aborted, and settles at
 * that moment even if `work` does not. Past the deadline it rejects with a retryable RunnerError that names
 * what was waited for.
 */
export async function withDeadline<T>(
  clock: Clock,
  deadline: Deadline,
  parent: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  parent?.throwIfAborted();
  const controller = new AbortController();
  const timer = new AbortController();
  const onParent = (): void => controller.abort(parent?.reason);
  parent?.addEventListener('abort', onParent, { once: true });
  const aborted = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
  });
  aborted.catch(() => {});
  clock.sleep(deadline.ms, timer.signal).then(
    () =>
      controller.abort(
        new RunnerError(
          deadline.code ?? 'ConnectionLost',
          `${deadline.name} did not come within ${Math.round(deadline.ms / 100) / 10} s`,
          { retry: true },
        ),
      ),
    () => {},
  );
  try {
    return await Promise.race([work(controller.signal), aborted]);
  } finally {
    timer.abort();
    parent?.removeEventListener('abort', onParent);
  }
}
