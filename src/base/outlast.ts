import type { Clock } from './clock.ts';
import { messageOf, RunnerError } from './errors.ts';

/** In milliseconds. */
export interface Persistence {
  readonly clock: Clock;
  /** From the first try to the last. */
  readonly patienceMs: number;
  /** Doubled each time. */
  readonly firstPauseMs: number;
  /** A server that asks for longer is obeyed. */
  readonly longestPauseMs: number;
  readonly trace: (message: string) => void;
}

/** Makes an attempt, which must do no harm a second time, until it succeeds or fails for good. */
export async function outlast<T>(
  { clock, patienceMs, firstPauseMs, longestPauseMs, trace }: Persistence,
  name: string,
  signal: AbortSignal,
  attempt: () => Promise<T>,
): Promise<T> {
  const giveUpAt = clock.now() + patienceMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof RunnerError && error.retry) || clock.now() > giveUpAt) throw error;
      trace(`${name} failed, trying again: ${messageOf(error)}`);
      await clock.sleep(Math.max(pauseMs, error.retryAfterMs ?? 0), signal);
    }
  }
}
