import type { Clock } from '../base/clock.ts';
import { RunnerError } from '../base/errors.ts';
import { whenAborted } from '../base/when-aborted.ts';

export interface PatienceLimits {
  /** What is waited for, as the message names it: "the step's end". */
  readonly name: string;
  /** From here on the time counts. */
  readonly from: AbortSignal;
  readonly ms: number;
  /** Ends the waiting at once. */
  readonly atOnce?: AbortSignal;
}

/** How long what was asked to stop may take, a step beyond its grace, until it has. */
export const settlingMs = 30_000;
/** How long outputs may take to come once the run was cancelled. */
export const lastOutputsMs = 60_000;
/** Time to send the delete for a run that was told to leave. */
export const partingMs = 2_000;

/** How long something that was asked to end is still waited for. */
export class Patience implements Disposable {
  readonly #controller = new AbortController();
  readonly #released = new AbortController();

  constructor(clock: Clock, { name, from, ms, atOnce }: PatienceLimits) {
    const end = (why: string): void =>
      this.#controller.abort(new RunnerError('ConnectionLost', `${name} was not waited for: ${why}`));
    const released = this.#released.signal;
    const startTimer = (): void => {
      clock.sleep(ms, released).then(
        () => end(`it did not come within ${Math.round(ms / 1000)} s`),
        () => {},
      );
    };
    whenAborted(from, released, startTimer);
    if (atOnce) {
      whenAborted(atOnce, released, () => end('the run was cancelled in haste'));
    }
  }

  /** Aborted when it has run out. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The promise, or a rejection once patience has run out. What comes later is not heard. */
  async wait<T>(promise: Promise<T>): Promise<T> {
    const ended = new AbortController();
    const runOut = new Promise<never>((_, reject) => {
      whenAborted(this.signal, ended.signal, () => reject(this.signal.reason));
    });
    try {
      return await Promise.race([promise, runOut]);
    } finally {
      ended.abort();
    }
  }

  [Symbol.dispose](): void {
    this.#released.abort();
  }
}
