import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Lets other work run while many short synchronous calls are made: await the function between two of them. (A
 * small file costs 7 µs with them and 80 µs through promises.)
 */
export function timeSlices(signal?: AbortSignal, sliceMs = 10): () => Promise<void> | undefined {
  let end = performance.now() + sliceMs;
  return () => {
    signal?.throwIfAborted();
    if (performance.now() < end) return undefined;
    return nextTurn().then(() => {
      end = performance.now() + sliceMs;
      signal?.throwIfAborted();
    });
  };
}
