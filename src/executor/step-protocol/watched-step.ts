import { MarkSplitter } from './step-mark.ts';

/** One step as somebody who looks on has come to know it. */
export class WatchedStep {
  readonly name: string;
  readonly #nonce: string;
  readonly #splitter: MarkSplitter;
  #offset = 0;
  #isOver = false;

  private constructor(nonce: string, name: string) {
    this.#nonce = nonce;
    this.name = name;
    this.#splitter = new MarkSplitter(nonce);
  }

  /** By the line `STEP NONCE NAME` of the pod; undefined where it is none. */
  static read(line: string): WatchedStep | undefined {
    const [, nonce = '', name = ''] = /^\d+ ([A-Za-z0-9]+) (.*)$/.exec(line) ?? [];
    return nonce === '' ? undefined : new WatchedStep(nonce, name);
  }

  isSame(other: WatchedStep): boolean {
    return this.#nonce === other.#nonce;
  }

  /** Bytes of its log that have come. */
  get offset(): number {
    return this.#offset;
  }

  /** Whether all of its own output has come. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The step's own bytes among these, which follow those before. */
  push(bytes: Buffer): readonly Buffer[] {
    this.#offset += bytes.length;
    if (this.#isOver) return [];
    const { output, end } = this.#splitter.push(bytes);
    this.#isOver = end !== undefined;
    return output;
  }
}
