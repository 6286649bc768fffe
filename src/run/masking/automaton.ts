const none = -1;

/**
 * Finds many byte strings at once (Aho–Corasick). A state stands for the longest end of what was read that is
 * the beginning of a pattern; state 0 is the empty one. States are kept thin, since a long secret in all its
 * encodings makes tens of thousands: most have one successor only, the others get a full row.
 */
export class Automaton {
  #size = 1;
  #onlyByte = new Int16Array(1024).fill(none);
  #onlyNext = new Int32Array(1024);
  #row = new Int32Array(1024).fill(none);
  #fail = new Int32Array(1024);
  #depth = new Int32Array(1024);
  #longest = new Int32Array(1024);
  readonly #rows: Int32Array[] = [];
  /** Indexed by two bytes: whether a pattern begins with them. */
  readonly #beginnings = new Uint8Array(65536);

  /** No pattern may be shorter than two bytes. */
  constructor(patterns: readonly Uint8Array[]) {
    for (const pattern of patterns) {
      this.#insert(pattern);
    }
    this.#linkFailures();
  }

  /** The state after `byte` was read in `state`. */
  next(state: number, byte: number): number {
    let from = state;
    for (;;) {
      const to = this.#child(from, byte);
      if (to !== 0) {
        return to;
      }
      if (from === 0) {
        return 0;
      }
      from = this.#fail[from] ?? 0;
    }
  }

  /**
   * The first index at or after `from` where a pattern may begin, or the last index, if there is none before.
   * Only for state 0: reading the skipped bytes would not leave it for good.
   */
  skip(bytes: Uint8Array, from: number): number {
    const last = bytes.length - 1;
    const beginnings = this.#beginnings;
    let index = from;
    let pair = bytes[index] ?? 0;
    while (index < last) {
      pair = ((pair << 8) | (bytes[index + 1] ?? 0)) & 0xffff;
      if (beginnings[pair] !== 0) {
        break;
      }
      index += 1;
    }
    return index;
  }

  /** How many of the bytes just read may be the beginning of a pattern. */
  depth(state: number): number {
    return this.#depth[state] ?? 0;
  }

  /** The length of the longest pattern that ends here; 0 where none does. */
  matchLength(state: number): number {
    return this.#longest[state] ?? 0;
  }

  #child(state: number, byte: number): number {
    const row = this.#row[state] ?? none;
    if (row !== none) {
      return this.#rows[row]?.[byte] ?? 0;
    }
    return this.#onlyByte[state] === byte ? (this.#onlyNext[state] ?? 0) : 0;
  }

  #insert(pattern: Uint8Array): void {
    this.#beginnings[((pattern[0] ?? 0) << 8) | (pattern[1] ?? 0)] = 1;
    let state = 0;
    for (const byte of pattern) {
      state = this.#child(state, byte) || this.#addChild(state, byte);
    }
    this.#longest[state] = pattern.length;
  }

  #addChild(state: number, byte: number): number {
    const child = this.#size;
    this.#size += 1;
    this.#grow();
    this.#depth[child] = (this.#depth[state] ?? 0) + 1;
    if (this.#onlyByte[state] === none && this.#row[state] === none) {
      this.#onlyByte[state] = byte;
      this.#onlyNext[state] = child;
      return child;
    }
    this.#rowOf(state)[byte] = child;
    return child;
  }

  #rowOf(state: number): Int32Array {
    const existing = this.#rows[this.#row[state] ?? none];
    if (existing !== undefined) {
      return existing;
    }
    const row = new Int32Array(256);
    row[this.#onlyByte[state] ?? 0] = this.#onlyNext[state] ?? 0;
    this.#row[state] = this.#rows.length;
    this.#rows.push(row);
    return row;
  }

  #grow(): void {
    const length = this.#depth.length;
    if (this.#size <= length) {
      return;
    }
    const larger = (array: Int32Array, filler: number): Int32Array<ArrayBuffer> => {
      const copy = new Int32Array(length * 2).fill(filler, length);
      copy.set(array);
      return copy;
    };
    const onlyByte = new Int16Array(length * 2).fill(none, length);
    onlyByte.set(this.#onlyByte);
    this.#onlyByte = onlyByte;
    this.#onlyNext = larger(this.#onlyNext, 0);
    this.#row = larger(this.#row, none);
    this.#fail = larger(this.#fail, 0);
    this.#depth = larger(this.#depth, 0);
    this.#longest = larger(this.#longest, 0);
  }

  /** Breadth first, so that a state's failure, which is less deep, is ready before the state. */
  #linkFailures(): void {
    const queue = new Int32Array(this.#size);
    let tail = 0;
    for (let head = -1; head < tail; head += 1) {
      const state = head < 0 ? 0 : (queue[head] ?? 0);
      for (const [byte, child] of this.#children(state)) {
        const fail = state === 0 ? 0 : this.next(this.#fail[state] ?? 0, byte);
        this.#fail[child] = fail;
        this.#longest[child] = Math.max(this.#longest[child] ?? 0, this.#longest[fail] ?? 0);
        queue[tail] = child;
        tail += 1;
      }
    }
  }

  *#children(state: number): Iterable<readonly [byte: number, child: number]> {
    const row = this.#rows[this.#row[state] ?? none];
    if (row === undefined) {
      if (this.#onlyByte[state] !== none) {
        yield [this.#onlyByte[state] ?? 0, this.#onlyNext[state] ?? 0];
      }
      return;
    }
    for (const [byte, child] of row.entries()) {
      if (child !== 0) {
        yield [byte, child];
      }
    }
  }
}
