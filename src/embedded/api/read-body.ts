import type { IncomingMessage } from 'node:http';
import { ApiError, badRequest } from './status.ts';

const limit = 3 * 1024 * 1024;

/** The request's JSON, or undefined where it sent nothing. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    const bytes = Buffer.from(part);
    size += bytes.length;
    if (size > limit)
      throw new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${limit}`);
    parts.push(bytes);
  }
  if (size === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch (error) {
    throw badRequest(`the object provided is unrecognized (must be of type JSON): ${String(error)}`);
  }
}
