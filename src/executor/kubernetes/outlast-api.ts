import { outlast } from '../../base/outlast.ts';
import type { RunTarget } from './run-target.ts';

/** A control plane that restarts is away for minutes. */
const pace = { patienceMs: 300_000, firstPauseMs: 500, longestPauseMs: 5_000 } as const;

export const outlastApi = <T>(
  { clock, observer }: RunTarget,
  name: string,
  signal: AbortSignal,
  attempt: () => Promise<T>,
): Promise<T> =>
  outlast({ ...pace, clock, trace: (message) => observer.trace(message) }, name, signal, attempt);
