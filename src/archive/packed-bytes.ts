import type { ListedFile } from './listed-file.ts';
import { timeSlices } from './time-slice.ts';

const chunkSize = 256 * 1024;

/**
 * Gathers headers and contents into big chunks. Each chunk is new memory, which its reader may keep, or one that the
 * reader gave back to `spare`: to make memory and to collect it takes longer than to fill it.
 */
export class PackedBytes {
  private chunk: Buffer;
  private used = 0;
  private readonly pause = timeSlices();
  private readonly spare: Uint8Array[];

  constructor(spare: Uint8Array[] = []) {
    this.spare = spare;
    this.chunk = this.fresh();
  }

  *add(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
    for (let taken = 0; taken < bytes.length; ) {
      const part = bytes.subarray(taken, taken + this.free);
      this.chunk.set(part, this.used);
      taken += part.length;
      yield* this.advance(part.length);
    }
  }

  *addZeros(count: number): Generator<Uint8Array, void, undefined> {
    for (let left = count; left > 0; ) {
      const part = Math.min(left, this.free);
      this.chunk.fill(0, this.used, this.used + part);
      left -= part;
      yield* this.advance(part);
    }
  }

  /** The first `size` bytes of a file: at once where they fit into this chunk, else without blocking. */
  async *addFile(file: ListedFile, size: number): AsyncGenerator<Uint8Array, void, undefined> {
    if (size <= this.free) {
      await this.pause();
      file.readNow(this.chunk.subarray(this.used, this.used + size));
      yield* this.advance(size);
      return;
    }
    for (let left = size; left > 0; ) {
      const room = Math.min(left, this.free);
      const count = await file.readSome(this.chunk.subarray(this.used, this.used + room));
      left -= count;
      yield* this.advance(count);
    }
  }

  /** What is not yet given out. */
  *rest(): Generator<Uint8Array, void, undefined> {
    if (this.used > 0) yield this.chunk.subarray(0, this.used);
    this.used = 0;
  }

  private get free(): number {
    return chunkSize - this.used;
  }

  private *advance(count: number): Generator<Uint8Array, void, undefined> {
    this.used += count;
    if (this.used < chunkSize) return;
    const full = this.chunk;
    this.chunk = this.fresh();
    this.used = 0;
    yield full;
  }

  private fresh(): Buffer {
    const given = this.spare.pop();
    return given?.length === chunkSize
      ? Buffer.from(given.buffer, given.byteOffset, chunkSize)
      : Buffer.allocUnsafeSlow(chunkSize);
  }
}
