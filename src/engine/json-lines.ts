import type { Readable } from 'node:stream';
import { RunnerError } from '../base/errors.ts';
import { linesIn } from '../base/lines.ts';

const longestLine = 1024 * 1024;

/** What an engine tells as things happen: one piece of JSON after another, a line each. */
export async function* jsonLines(stream: Readable): AsyncGenerator<unknown, void, undefined> {
  for await (const line of linesIn(stream, longestLine, endless)) if (line.trim() !== '') yield parsed(line);
}

const endless = (): RunnerError =>
  new RunnerError('ApiRefused', 'a line of the engine has no end: it is no Docker Engine');

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new RunnerError('ApiRefused', 'a line of the engine is no JSON', { cause: error });
  }
}
