import type { Clock } from '../base/clock.ts';
import { withDeadline } from '../base/deadline.ts';
import { RunnerError } from '../base/errors.ts';

export interface ReadyLimit {
  /** As the message names it: "the pod". */
  readonly what: string;
  readonly ms: number;
  /** What was waited for last, asked once it is too late. */
  readonly lastWord: () => string;
}

/** Runs `work` with a signal that is aborted when the ready timeout is over, which is then its error. */
export async function readyInTime<T>(
  clock: Clock,
  { what, ms, lastWord }: ReadyLimit,
  signal: AbortSignal,
  work: (inTime: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await withDeadline(clock, { name: what, ms, code: 'ReadyTimeout' }, signal, work);
  } catch (error) {
    if (!(error instanceof RunnerError && error.code === 'ReadyTimeout')) throw error;
    throw new RunnerError(
      'ReadyTimeout',
      `${what} did not run within ${Math.round(ms / 1000)} s (--ready-timeout); it waited for: ${lastWord()}`,
    );
  }
}
