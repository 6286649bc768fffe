/** Calls once, when `signal` is aborted, or at once where it is already; not after `until` was. */
export function whenAborted(signal: AbortSignal, until: AbortSignal, call: () => void): void {
  if (signal.aborted) call();
  else signal.addEventListener('abort', call, { once: true, signal: until });
}
