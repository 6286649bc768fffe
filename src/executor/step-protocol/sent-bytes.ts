import type { Readable } from 'node:stream';
import { beginningAtEnd, nonEmpty, overLine } from './step-mark.ts';

/** What the pod writes before the line by which it says that this was all. Ends there, or with the stream. */
export class SentBytes implements AsyncIterable<Buffer> {
  readonly #stdout: Readable;
  readonly #line: Buffer;
  #isWhole = false;

  constructor(stdout: Readable, nonce: string) {
    this.#stdout = stdout;
    this.#line = overLine(nonce);
  }

  /** Whether that line has come. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    let held: Buffer = Buffer.alloc(0);
    for await (const chunk of this.#stdout) {
      const bytes: Buffer = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
      // The pod writes nothing behind it, so that the end of what has come is all that is looked at, not every byte.
      this.#isWhole = bytes.subarray(-this.#line.length).equals(this.#line);
      const kept = this.#isWhole ? this.#line.length : beginningAtEnd(bytes, this.#line);
      yield* nonEmpty(bytes.subarray(0, bytes.length - kept));
      if (this.#isWhole) return;
      held = Buffer.from(bytes.subarray(bytes.length - kept));
    }
    yield* nonEmpty(held);
  }
}
