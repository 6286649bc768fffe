import type { Clock } from '../../base/clock.ts';

/** An outage that lasts longer is told, once. */
const outageMs = 10_000;

/** Knows since when the pod cannot be reached, and tells of it: a wait is never without its reason. */
export class Reach {
  readonly #clock: Clock;
  readonly #warn: (message: string) => void;
  readonly #entering: (message: string) => void;
  #hasEntered = false;
  #failingSince: number | undefined;
  #isTold = false;

  /** Until the pod has answered for the first time, `entering` hears each failure. */
  constructor(
    { clock, warn }: { readonly clock: Clock; readonly warn: (message: string) => void },
    entering: (message: string) => void,
  ) {
    this.#clock = clock;
    this.#warn = warn;
    this.#entering = entering;
  }

  failed(message: string): void {
    if (!this.#hasEntered) {
      this.#entering(message);
      return;
    }
    const now = this.#clock.now();
    this.#failingSince ??= now;
    if (this.#isTold || now - this.#failingSince < outageMs) return;
    this.#isTold = true;
    this.#warn(`the pod cannot be reached; it is tried for as long as it may live: ${message}`);
  }

  /** The pod has answered. */
  answered(): void {
    this.#hasEntered = true;
    this.#failingSince = undefined;
    this.#isTold = false;
  }
}
