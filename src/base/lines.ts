import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/**
 * The lines of a stream that is not trusted, however it is cut; the last needs no end. `endless` is what is thrown
 * where one is longer than `longest` characters and has none yet.
 */
export async function* linesIn(
  stream: Readable,
  longest: number,
  endless: () => Error,
): AsyncGenerator<string, void, undefined> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of stream) {
    rest += decoder.write(chunk);
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > longest) throw endless();
    yield* lines;
  }
  if (rest !== '') yield rest;
}
