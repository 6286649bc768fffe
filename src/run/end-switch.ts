import type { Clock } from '../base/clock.ts';
import { RunnerError } from '../base/errors.ts';
import { whenAborted } from '../base/when-aborted.ts';
import type { Ending } from './status.ts';

/** Ends something once, from whichever side it comes first: the first ending stands. */
export class EndSwitch implements Disposable {
  readonly #controller = new AbortController();
  readonly #released = new AbortController();
  #ending: Ending | null = null;

  get ending(): Ending | null {
    return this.#ending;
  }

  /** Aborted by the first ending. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(ending: Ending): void {
    if (this.#ending === null && !this.#released.signal.aborted) {
      this.#ending = ending;
      this.#controller.abort(new RunnerError(ending.reason.code, ending.reason.message));
    }
  }

  endWhen(signal: AbortSignal, endingAtThatTime: () => Ending | null): void {
    const end = (): void => {
      const ending = endingAtThatTime();
      if (ending !== null) {
        this.end(ending);
      }
    };
    whenAborted(signal, this.#released.signal, end);
  }

  endAfter(clock: Clock, ms: number, ending: Ending): void {
    clock.sleep(ms, this.#released.signal).then(
      () => this.end(ending),
      () => {},
    );
  }

  /** Nothing ends it any more. */
  [Symbol.dispose](): void {
    this.#released.abort();
  }
}
