import { outlast } from '../../base/outlast.ts';
import type { RunTarget } from './run-target.ts';

/** An engine that restarts is away for seconds. */
const pace = { patienceMs: 60_000, firstPauseMs: 200, longestPauseMs: 2_000 } as const;

export const outlastEngine = <T>(
  { clock, observer }: RunTarget,
  name: string,
  signal: AbortSignal,
  attempt: () => Promise<T>,
): Promise<T> =>
  outlast({ ...pace, clock, trace: (message) => observer.trace(message) }, name, signal, attempt);
