import { type Agent, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { RunnerError } from '../base/errors.ts';

export type RequestHeaders = Readonly<Record<string, string | string[]>>;

export interface HttpRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: RequestHeaders;
  readonly body?: string | undefined;
  readonly agent: Agent;
  readonly signal: AbortSignal;
}

/** Resolves with the head of the answer; its body is still to be read. Rejects with what the socket said. */
export function openRequest(call: HttpRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { method, agent, signal } = call;
    const body = call.body === undefined ? undefined : Buffer.from(call.body);
    const headers = {
      ...call.headers,
      // Without it Node sends the body of a DELETE chunked or not at all, and servers drop the options in it.
      ...(body ? { 'Content-Length': String(body.length) } : {}),
    };
    const send = call.url.protocol === 'https:' ? tlsRequest : plainRequest;
    const request = send(call.url, { method, agent, headers, signal });
    request.once('response', resolve);
    request.on('error', reject); // stays on: an abort after the answer comes here too
    request.end(body);
  });
}

/** The whole body as text; one of more than `limit` bytes is refused. */
export async function readBody(answer: IncomingMessage, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of answer) {
    const bytes = Buffer.from(chunk);
    total += bytes.length;
    if (total > limit) {
      answer.destroy();
      throw new RunnerError('ApiRefused', `the answer is larger than ${limit} bytes`);
    }
    chunks.push(bytes);
  }
  // An answer that was cut ends its stream without an error where it had no length.
  if (!answer.complete) throw new Error('the answer was cut off');
  return Buffer.concat(chunks).toString();
}

/** As much of a refusal's body as a message can use; never rejects. */
export async function readRefusal(answer: IncomingMessage): Promise<string> {
  const limit = 64 * 1024;
  const chunks: Buffer[] = [];
  let total = 0;
  try {
    for await (const chunk of answer) {
      const bytes = Buffer.from(chunk);
      chunks.push(bytes);
      total += bytes.length;
      if (total > limit) break;
    }
  } catch {
    // what came is enough
  }
  answer.destroy();
  return Buffer.concat(chunks).toString();
}
