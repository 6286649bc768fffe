import type { Automaton } from './automaton.ts';
import { shortestSecret } from './patterns.ts';

const mask = '***';
const maskBytes = Buffer.from(mask);
const nothing = Buffer.alloc(0);

/**
 * Masks one stream of bytes. Every byte that is part of a match is masked; matches that overlap or touch make
 * one mask. Bytes that may be the beginning of a match are held back until more is known, so what comes out
 * may lag behind by at most the longest pattern. All positions are counted from the stream's beginning.
 */
export class Masker {
  readonly #automaton: Automaton;
  #state = 0;
  /** Where the next byte to come stands. */
  #position = 0;
  /** The bytes from `#done` to `#position`; a copy, since the chunks belong to others. */
  #held = nothing;
  /** Up to here everything has been given out. */
  #done = 0;
  /** Where the last mask that was given out ended. */
  #maskedTo = -1;
  /** Matches that were not given out yet, from front to back, neither overlapping nor touching. */
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
  }

  /** What may be given out now that `chunk` has come. It may be a part of `chunk` itself. */
  write(chunk: Uint8Array): Uint8Array {
    this.#scan(chunk);
    this.#position += chunk.length;
    return this.#giveOut(chunk, this.#position - this.#automaton.depth(this.#state));
  }

  /**
   * What was held back, once no more can come. Where the stream was `cut` short, an end that looks like the
   * beginning of a secret probably is one, and is masked as well.
   */
  end(cut: boolean): Uint8Array {
    const depth = this.#automaton.depth(this.#state);
    if (cut && depth >= shortestSecret) {
      this.#addMatch(this.#position - depth, this.#position);
    }
    this.#state = 0;
    return this.#giveOut(nothing, this.#position);
  }

  #scan(chunk: Uint8Array): void {
    const automaton = this.#automaton;
    let state = this.#state;
    for (let index = 0; index < chunk.length; index += 1) {
      if (state === 0) {
        index = automaton.skip(chunk, index);
      }
      state = automaton.next(state, chunk[index] ?? 0);
      const length = state === 0 ? 0 : automaton.matchLength(state);
      if (length > 0) {
        const end = this.#position + index + 1;
        this.#addMatch(end - length, end);
      }
    }
    this.#state = state;
  }

  /** Matches come in the order of their ends, so a new one can only swallow from the back. */
  #addMatch(start: number, end: number): void {
    let first = start;
    for (let last = this.#ends.at(-1); last !== undefined && last >= first; last = this.#ends.at(-1)) {
      first = Math.min(first, this.#starts.pop() ?? first);
      this.#ends.pop();
    }
    this.#starts.push(first);
    this.#ends.push(end);
  }

  /** Gives out everything before `safe`, where the next match may begin at the earliest. */
  #giveOut(chunk: Uint8Array, safe: number): Uint8Array {
    const window = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const from = this.#done;
    const pieces: Uint8Array[] = [];
    const giveUpTo = (end: number): void => {
      if (end > this.#done) {
        pieces.push(window.subarray(this.#done - from, end - from));
        this.#done = end;
      }
    };
    let given = 0;
    for (const [index, start] of this.#starts.entries()) {
      if (start > safe) {
        break;
      }
      if (start > this.#maskedTo) {
        giveUpTo(start);
        pieces.push(maskBytes);
      }
      // Given out early: a longer match can only lengthen this mask.
      this.#done = this.#ends[index] ?? this.#done;
      this.#maskedTo = this.#done;
      given += 1;
    }
    this.#starts.splice(0, given);
    this.#ends.splice(0, given);
    giveUpTo(safe);
    this.#held = Buffer.from(window.subarray(this.#done - from));
    return pieces.length === 1 ? (pieces[0] ?? nothing) : Buffer.concat(pieces);
  }
}
