import type { Clock } from '../../base/clock.ts';
import { RunnerError } from '../../base/errors.ts';
import type { Observer, Onlooker } from '../executor.ts';

/** Control planes and engines restart, and credentials are renewed, while a run goes on. */
export const patienceMs = 300_000;
/** Six beats that did not come. */
export const idleMs = 60_000;

/** What a run's place has to tell, for somebody who only looks on. */
export const observerOf = (onlooker: Onlooker): Observer => ({
  waiting: (waiting) => onlooker.waiting(waiting),
  trace: (message) => onlooker.trace(message),
  warning: (message) => onlooker.warning(message),
  place: () => {},
  leftover: () => {},
  cancelled: () => 0,
});

/** The names in what is kept beside a run. */
export const namesIn = (list = ''): readonly string[] => list.split(',').filter((one) => one !== '');

/** Why the place has ended, if that is known within this time. */
export async function endWithin(
  ms: number,
  lost: AbortSignal,
  clock: Clock,
  signal: AbortSignal,
): Promise<RunnerError | undefined> {
  await clock.sleep(ms, AbortSignal.any([signal, lost])).catch(() => {});
  signal.throwIfAborted();
  return lost.reason instanceof RunnerError ? lost.reason : undefined;
}
