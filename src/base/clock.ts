import { setTimeout as delay } from 'node:timers/promises';

/** Time as an argument, so that tests can own it. */
export interface Clock {
  /** Milliseconds on a clock that never jumps: for deadlines and durations. */
  now(): number;
  /** The date, for people and files. Never subtract two of these. */
  date(): Date;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export function systemClock(): Clock {
  return {
    now: () => performance.now(),
    date: () => new Date(),
    sleep: async (ms, signal) => {
      try {
        await delay(ms, undefined, signal ? { signal } : {});
      } catch (error) {
        signal?.throwIfAborted(); // the signal's own reason, not the timer's AbortError
        throw error;
      }
    },
  };
}
