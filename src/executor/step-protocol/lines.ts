import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { RunnerError } from '../../base/errors.ts';

/** The lines of a stream from the pod, which is not trusted: a longer one than `longest` characters is an error. */
export async function* linesOf(stream: Readable, longest = 8192): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of stream) {
    rest += decoder.write(chunk);
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > longest) throw new RunnerError('ProtocolViolation', 'a line from the pod has no end');
    yield* lines;
  }
  if (rest !== '') yield rest;
}

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
