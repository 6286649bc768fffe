/** Bytes that come in chunks of any size, taken in pieces of the size that is needed. */
export class ByteSource {
  private readonly iterator: AsyncIterator<Uint8Array>;
  private readonly signal: AbortSignal | undefined;
  private chunk: Uint8Array = new Uint8Array(0);

  constructor(bytes: AsyncIterable<Uint8Array>, signal?: AbortSignal) {
    this.iterator = bytes[Symbol.asyncIterator]();
    this.signal = signal;
  }

  /** Exactly `count` bytes, or undefined where the source ends before; meant for small counts. */
  async take(count: number): Promise<Uint8Array | undefined> {
    if (this.chunk.length >= count) return this.cut(count);
    const gathered = new Uint8Array(count);
    for (let filled = 0; filled < count; ) {
      const part = await this.takeSome(count - filled);
      if (part.length === 0) return undefined;
      gathered.set(part, filled);
      filled += part.length;
    }
    return gathered;
  }

  /** The next bytes, at most `most` and at least one; none at the source's end. */
  async takeSome(most: number): Promise<Uint8Array> {
    while (this.chunk.length === 0) {
      const next = await this.next();
      if (next.done) return this.chunk;
      this.chunk = next.value;
    }
    return this.cut(most);
  }

  /** Tells the source that nothing more is wanted. It may still be waiting, so it is not waited for. */
  stop(): void {
    this.iterator.return?.().catch(() => {});
  }

  private cut(most: number): Uint8Array {
    const part = this.chunk.subarray(0, most);
    this.chunk = this.chunk.subarray(part.length);
    return part;
  }

  /** Ends at an abort even where the source does not. */
  private next(): Promise<IteratorResult<Uint8Array>> {
    const { signal } = this;
    if (!signal) return this.iterator.next();
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      this.iterator
        .next()
        .then(resolve, reject)
        .finally(() => signal.removeEventListener('abort', onAbort));
    });
  }
}
