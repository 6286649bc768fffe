import { RunnerError } from '../../base/errors.ts';
import { beginningAtEnd, nonEmpty } from './step-mark.ts';

export type Framed =
  | { readonly kind: 'frame'; readonly line: string }
  | { readonly kind: 'bytes'; readonly bytes: Buffer };

const longestFrame = 16 * 1024;

/** Tells the lines that begin with `\x1eWORD ` from the bytes between them. Holds back only what may be one. */
export class FrameSplitter {
  readonly #start: Buffer;
  #held: Buffer = Buffer.alloc(0);

  constructor(word: string) {
    this.#start = Buffer.from(`\x1e${word} `);
  }

  push(chunk: Buffer): readonly Framed[] {
    const pieces: Framed[] = [];
    let rest = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk;
    for (;;) {
      const at = rest.indexOf(this.#start);
      const end = at < 0 ? -1 : rest.indexOf(0x0a, at);
      const whole = at < 0 ? rest.length - beginningAtEnd(rest, this.#start) : at;
      pieces.push(...nonEmpty(rest.subarray(0, whole)).map((bytes) => ({ kind: 'bytes', bytes }) as const));
      if (end < 0) {
        if (rest.length - whole > longestFrame) throw endless();
        this.#held = Buffer.from(rest.subarray(whole));
        return pieces;
      }
      pieces.push({ kind: 'frame', line: rest.toString('utf8', at + this.#start.length, end) });
      rest = rest.subarray(end + 1);
    }
  }
}

const endless = (): RunnerError =>
  new RunnerError('ProtocolViolation', "a step's line in the pod has no end: something there forged it");
