import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { RunnerError } from '../base/errors.ts';

const longestLine = 1024 * 1024;

/** What an engine tells as things happen: one piece of JSON after another, a line each. */
export async function* jsonLines(stream: Readable): AsyncGenerator<unknown, void, undefined> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of stream) {
    rest += decoder.write(chunk);
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > longestLine)
      throw new RunnerError('ApiRefused', 'a line of the engine has no end: it is no Docker Engine');
    for (const line of lines) if (line.trim() !== '') yield parsed(line);
  }
  if (rest.trim() !== '') yield parsed(rest);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new RunnerError('ApiRefused', 'a line of the engine is no JSON', { cause: error });
  }
}
