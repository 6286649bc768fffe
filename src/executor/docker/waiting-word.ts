import type { Clock } from '../../base/clock.ts';
import type { Observer } from '../executor.ts';

/** Tells what a run waits for, each change once, and remembers it for the message of a wait that was too long. */
export class WaitingWord {
  readonly #clock: Clock;
  readonly #observer: Observer;
  #reason = '';
  #message = '';
  #since: Date;

  constructor(clock: Clock, observer: Observer) {
    this.#clock = clock;
    this.#observer = observer;
    this.#since = clock.date();
  }

  see(reason: string, message: string): void {
    if (reason === this.#reason && message === this.#message) return;
    if (reason !== this.#reason) this.#since = this.#clock.date();
    this.#reason = reason;
    this.#message = message;
    this.#observer.waiting({ reason, message, since: this.#since });
  }

  over(): void {
    this.#reason = '';
    this.#observer.waiting(null);
  }

  get last(): string {
    return this.#message;
  }
}
