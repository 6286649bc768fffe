import type { Readable } from 'node:stream';
import { RunnerError } from '../../base/errors.ts';
import { linesIn } from '../../base/lines.ts';

const longestLine = 8192;

/** The lines of a stream from the pod, which is not trusted: one that has no end by then is an error. */
export const linesOf = (stream: Readable): AsyncGenerator<string, void, undefined> =>
  linesIn(stream, longestLine, () => new RunnerError('ProtocolViolation', 'a line from the pod has no end'));

/** Reads a stream to its end and keeps the last `limit` bytes of it, as text for a message. */
export class Tail {
  #bytes = Buffer.alloc(0);

  constructor(stream: Readable, limit = 4096, onChunk: () => void = () => {}) {
    stream.on('data', (chunk: Buffer) => {
      onChunk();
      this.#bytes = Buffer.from(Buffer.concat([this.#bytes, chunk]).subarray(-limit));
    });
    stream.on('error', () => {}); // the session's exit tells
  }

  text(): string {
    return this.#bytes.toString('utf8').trim();
  }
}
