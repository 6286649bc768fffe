import { isUtf8 } from 'node:buffer';

export type TextOrBytes = { readonly text: string } | { readonly base64: string };

/** Longer pieces are cut, so that no line of the events file grows with the step's output. */
const longestPiece = 64 * 1024;

/**
 * Cuts a stream of bytes into pieces of text, and of bytes where it is no UTF-8. A character whose bytes come
 * in several chunks is held back until it is whole. All pieces together are the stream.
 */
export class Utf8Chunks {
  #tail = Buffer.alloc(0);

  *write(bytes: Uint8Array): Iterable<TextOrBytes> {
    for (let at = 0; at < bytes.length; at += longestPiece) {
      const piece = Buffer.concat([this.#tail, bytes.subarray(at, at + longestPiece)]);
      const whole = piece.length - unfinishedLength(piece);
      this.#tail = Buffer.from(piece.subarray(whole));
      yield* pieceOf(piece.subarray(0, whole));
    }
  }

  /** What is left of a character that never became whole. */
  *end(): Iterable<TextOrBytes> {
    const tail = this.#tail;
    this.#tail = Buffer.alloc(0);
    yield* pieceOf(tail);
  }
}

function* pieceOf(bytes: Buffer): Iterable<TextOrBytes> {
  if (bytes.length > 0) {
    yield isUtf8(bytes) ? { text: bytes.toString() } : { base64: bytes.toString('base64') };
  }
}

/** How many bytes at the end are the beginning of a character: 0 to 3. */
function unfinishedLength(bytes: Buffer): number {
  for (let length = 1; length <= 3 && length <= bytes.length; length += 1) {
    const byte = bytes[bytes.length - length] ?? 0;
    if ((byte & 0b1100_0000) !== 0b1000_0000) {
      return characterLength(byte) > length ? length : 0;
    }
  }
  return 0;
}

function characterLength(first: number): number {
  if (first >= 0xf0 && first <= 0xf4) return 4;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xc2 && first < 0xe0 ? 2 : 1;
}
