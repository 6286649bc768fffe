import type { ListedFile } from './listed-file.ts';

const chunkSize = 256 * 1024;

/**
 * Gathers headers and contents into big chunks. Each chunk is new memory, which its reader may keep, or one that the
 * reader gave back to `spare`: to make memory and to collect it takes longer than to fill it.
 */
export class PackedBytes {
  private chunk: Buffer;
  private used = 0;
  private full: Buffer[] = [];
  private readonly spare: Uint8Array[];

  constructor(spare: Uint8Array[] = []) {
    this.spare = spare;
    this.chunk = this.fresh();
  }

  /** How much fits into the chunk that is being filled; at least one byte. */
  get free(): number {
    return chunkSize - this.used;
  }

  add(bytes: Uint8Array): void {
    if (bytes.length > this.free) {
      const { free } = this;
      this.add(bytes.subarray(0, free));
      this.add(bytes.subarray(free));
      return;
    }
    this.chunk.set(bytes, this.used);
    this.advance(bytes.length);
  }

  addZeros(count: number): void {
    for (let left = count; left > 0; ) {
      const part = Math.min(left, this.free);
      this.chunk.fill(0, this.used, this.used + part);
      left -= part;
      this.advance(part);
    }
  }

  /** The next `count` bytes of a file at once; no more than is free. */
  addNow(file: ListedFile, count: number): void {
    file.readNow(this.chunk, this.used, count);
    this.advance(count);
  }

  /** Some of the next `most` bytes of a file, without blocking; resolves to how many. */
  async addSome(file: ListedFile, most: number): Promise<number> {
    const room = Math.min(most, this.free);
    const count = await file.readSome(this.chunk.subarray(this.used, this.used + room));
    this.advance(count);
    return count;
  }

  /** The chunks that were filled since it was last called. */
  takeFull(): readonly Uint8Array[] {
    if (this.full.length === 0) return nothing;
    const taken = this.full;
    this.full = [];
    return taken;
  }

  /** What is not yet given out. */
  takeRest(): Uint8Array {
    const rest = this.chunk.subarray(0, this.used);
    this.chunk = this.fresh();
    this.used = 0;
    return rest;
  }

  private advance(count: number): void {
    this.used += count;
    if (this.used < chunkSize) return;
    this.full.push(this.chunk);
    this.chunk = this.fresh();
    this.used = 0;
  }

  private fresh(): Buffer {
    const given = this.spare.pop();
    return given?.length === chunkSize
      ? Buffer.from(given.buffer, given.byteOffset, chunkSize)
      : Buffer.allocUnsafeSlow(chunkSize);
  }
}

const nothing: readonly Uint8Array[] = [];
