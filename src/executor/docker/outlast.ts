import { messageOf, RunnerError } from '../../base/errors.ts';
import type { RunTarget } from './run-target.ts';

/** An engine that restarts is away for seconds. */
const patienceMs = 60_000;
const longestPauseMs = 2_000;

/** Makes an attempt, which must do no harm a second time, until it succeeds or fails for good. */
export async function outlast<T>(
  { clock, observer }: RunTarget,
  name: string,
  signal: AbortSignal,
  attempt: () => Promise<T>,
): Promise<T> {
  const giveUpAt = clock.now() + patienceMs;
  for (let pauseMs = 200; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof RunnerError && error.retry) || clock.now() > giveUpAt) throw error;
      observer.trace(`${name} failed, trying again: ${messageOf(error)}`);
      await clock.sleep(pauseMs, signal);
    }
  }
}
