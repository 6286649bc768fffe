import type { Clock } from '../base/clock.ts';
import type { Observer } from './executor.ts';

/** Why a run waits, in the words of the cluster or the engine. */
export interface Word {
  readonly reason: string;
  readonly message: string;
}

/** Tells each change of the word that a run waits for, once, and knows how long the same trouble has lasted. */
export class WordWatch {
  readonly #clock: Clock;
  readonly #observer: Observer;
  #word: Word | undefined;
  #since: { readonly ms: number; readonly date: Date };

  constructor(clock: Clock, observer: Observer) {
    this.#clock = clock;
    this.#observer = observer;
    this.#since = { ms: clock.now(), date: clock.date() };
  }

  see(word: Word | undefined): void {
    if (word?.reason === this.#word?.reason && word?.message === this.#word?.message) return;
    if (trouble(word) !== trouble(this.#word))
      this.#since = { ms: this.#clock.now(), date: this.#clock.date() };
    this.#word = word;
    this.#observer.waiting(word ? { ...word, since: this.#since.date } : null);
  }

  get unchangedMs(): number {
    return this.#clock.now() - this.#since.ms;
  }

  get last(): string {
    return this.#word ? `${this.#word.reason}: ${this.#word.message}` : '';
  }
}

/** A failed pull and the pause after it take turns and are the same trouble. */
const trouble = (word: Word | undefined): string | undefined =>
  word?.reason === 'ErrImagePull' ? 'ImagePullBackOff' : word?.reason;
