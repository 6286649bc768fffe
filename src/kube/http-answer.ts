import { type Agent, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';

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
