import { Readable } from 'node:stream';

/** In fewer and larger pieces, bytes cost less of whoever takes them. */
const highWaterMark = 1024 * 1024;

/** One output of an exec. */
export class ExecOutput extends Readable {
  readonly #onDemand: () => void;
  #full = false;

  /** `onDemand` is called when there is room again. */
  constructor(onDemand: () => void) {
    super({ highWaterMark });
    this.#onDemand = onDemand;
  }

  get full(): boolean {
    return this.#full;
  }

  add(bytes: Buffer): void {
    if (bytes.length === 0 || this.destroyed) return; // an empty chunk would count as a wish for no more
    this.#full = !this.push(bytes);
  }

  end(): void {
    this.push(null);
  }

  override _read(): void {
    if (!this.#full) return;
    this.#full = false;
    this.#onDemand();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#full = false; // what nobody will read must not hold the other output
    this.#onDemand();
    callback(error);
  }
}
