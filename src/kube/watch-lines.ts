import { z } from 'zod';
import { RunnerError } from '../base/errors.ts';
import type { WatchEvent } from './kube-api.ts';

/** An object in Kubernetes cannot be larger than about 3 MB. */
const maxLineBytes = 8 * 1024 * 1024;

const newline = 0x0a;

const eventSchema = z.object({
  type: z.enum(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']),
  object: z.unknown(),
});

/**
 * The events in a stream of newline-delimited JSON, however it is cut. Throws `ApiRefused` for what is no event,
 * `ConnectionLost` when the stream ends within a line.
 */
export async function* watchEvents(
  chunks: AsyncIterable<Uint8Array>,
  limit = maxLineBytes,
): AsyncGenerator<WatchEvent, void, undefined> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  const keep = (piece: Uint8Array): void => {
    length += piece.length;
    if (length > limit) {
      throw new RunnerError('ApiRefused', `the watch sent an event of more than ${limit} bytes`);
    }
    pieces.push(piece);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      keep(chunk.subarray(start, end));
      start = end + 1;
      const line = Buffer.concat(pieces).toString().trim();
      pieces = [];
      length = 0;
      if (line !== '') yield parseEvent(line);
    }
    keep(chunk.subarray(start));
  }
  if (Buffer.concat(pieces).toString().trim() !== '') {
    throw new RunnerError('ConnectionLost', 'the watch was cut off within an event', { retry: true });
  }
}

function parseEvent(line: string): WatchEvent {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    throw new RunnerError('ApiRefused', 'the watch sent a line that is not JSON', { retry: true });
  }
  const parsed = eventSchema.safeParse(json);
  if (!parsed.success) {
    throw new RunnerError('ApiRefused', 'the watch sent something that is no event', { retry: true });
  }
  return { type: parsed.data.type, object: parsed.data.object };
}
