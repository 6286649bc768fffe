import type { IncomingMessage } from 'node:http';
import { RunnerError } from './errors.ts';

const longestRefusal = 64 * 1024;

/** The whole body as text; one of more than `limit` bytes is refused. `what` is how messages name it. */
export async function readBody(answer: IncomingMessage, limit: number, what = 'the answer'): Promise<string> {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of answer) {
    const bytes = Buffer.from(chunk);
    total += bytes.length;
    if (total > limit) {
      answer.destroy();
      throw new RunnerError('ApiRefused', `${what} is larger than ${limit} bytes`);
    }
    chunks.push(bytes);
  }
  // An answer that was cut ends its stream without an error where it had no length.
  if (!answer.complete) throw new Error('the answer was cut off');
  return Buffer.concat(chunks).toString();
}

/** As much of a refusal's body as a message can use; never rejects. */
export async function readRefusal(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let total = 0;
  try {
    for await (const chunk of answer) {
      const bytes = Buffer.from(chunk);
      chunks.push(bytes);
      total += bytes.length;
      if (total > longestRefusal) break;
    }
  } catch {
    // what came is enough
  }
  answer.destroy(); // and with it what of the request is still on its way
  return Buffer.concat(chunks).toString();
}
