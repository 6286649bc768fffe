import type { Clock } from '../base/clock.ts';
import type { TransferObserver } from '../executor/executor.ts';

const intervalMs = 100;

/** Passes on how far a transfer is, but not too often; `finish` tells the last that was heard. */
export class TransferProgress implements TransferObserver {
  readonly #clock: Clock;
  readonly #tell: (bytes: number, total: number | null) => void;
  #toldAt = Number.NEGATIVE_INFINITY;
  #untold: { readonly bytes: number; readonly total: number | null } | null = null;

  constructor(clock: Clock, tell: (bytes: number, total: number | null) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  progress(bytes: number, total: number | null): void {
    this.#untold = { bytes, total };
    if (this.#clock.now() - this.#toldAt >= intervalMs) {
      this.finish();
    }
  }

  finish(): void {
    if (this.#untold) {
      this.#toldAt = this.#clock.now();
      this.#tell(this.#untold.bytes, this.#untold.total);
      this.#untold = null;
    }
  }
}
