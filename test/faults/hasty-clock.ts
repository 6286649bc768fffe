import { type Clock, systemClock } from '../../src/base/clock.ts';

/** A clock that can be told to run faster from now on: for a patience of minutes. */
export class HastyClock implements Clock {
  readonly #real = systemClock();
  #speed = 1;
  #from = this.#real.now();
  #passed = 0;

  hurry(speed: number): void {
    this.#passed = this.now();
    this.#from = this.#real.now();
    this.#speed = speed;
  }

  now(): number {
    return this.#passed + (this.#real.now() - this.#from) * this.#speed;
  }

  date(): Date {
    return this.#real.date();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#real.sleep(ms / this.#speed, signal);
  }
}
