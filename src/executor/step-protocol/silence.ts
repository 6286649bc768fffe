import type { Clock } from '../../base/clock.ts';

/** A program in the pod gives a sign of life every 5 s; after this long without one the road is dead. */
export const silenceMs = 20_000;

/** What a transfer's program writes to its standard error as a sign of life, between any two bytes of other words. */
const beat = '\x06';

export const withoutBeats = (text: string): string => text.replaceAll(beat, '');

/**
 * Calls `onSilence` once when no sign of life came for `limitMs`. The clock stands still while we are the ones
 * who hold the stream back.
 */
export class SilenceWatch implements Disposable {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #end = new AbortController();
  #last: number;
  #held = 0;

  constructor(clock: Clock, limitMs: number, onSilence: () => void) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#last = clock.now();
    this.#watch(onSilence).catch(() => {});
  }

  heard(): void {
    this.#last = this.#clock.now();
  }

  /** The clock stands still until what this returns is disposed of. */
  hold(): Disposable {
    this.#held++;
    return {
      [Symbol.dispose]: () => {
        this.#held--;
        this.heard();
      },
    };
  }

  [Symbol.dispose](): void {
    this.#end.abort();
  }

  async #watch(onSilence: () => void): Promise<void> {
    for (;;) {
      const left = this.#held > 0 ? this.#limitMs : this.#last + this.#limitMs - this.#clock.now();
      if (left <= 0) return onSilence();
      await this.#clock.sleep(left, this.#end.signal);
    }
  }
}
