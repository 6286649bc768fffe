import { type Agent, type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http';
import type { Duplex } from 'node:stream';

const lastWordMs = 500;

export interface EngineRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | ByteStream | undefined;
  readonly agent: Agent;
  readonly signal: AbortSignal;
}

/** A body that is made while it is sent. */
export interface ByteStream {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Told of each chunk that nobody here holds any more. */
  readonly sent: (chunk: Uint8Array) => void;
}

/** The head of an answer whose body is still to be read, or the connection that the request was made into. */
export type EngineAnswer = { readonly message: IncomingMessage } | { readonly connection: Duplex };

/** Rejects with what the socket said. */
export function sendRequest({ body, ...options }: EngineRequest): Promise<EngineAnswer> {
  return new Promise((resolve, reject) => {
    const request = openRequest({
      ...options,
      host: 'engine', // for the header; the agent knows where it is
      headers: {
        ...options.headers,
        ...(body instanceof Buffer ? { 'Content-Length': String(body.length) } : {}),
      },
    });
    request.once('response', (message) => resolve({ message }));
    request.once('upgrade', (_message, connection, head) => {
      if (head.length > 0) connection.unshift(head);
      resolve({ connection });
    });
    // Stays on: an abort after the answer comes here too. An engine that has enough of a body says why, and what is
    // still being sent may break before that has come.
    request.on('error', (error) => {
      if (isStream(body) && !options.signal.aborted) setTimeout(reject, lastWordMs, error);
      else reject(error);
    });
    if (isStream(body)) pour(body, request).catch((error: Error) => request.destroy(error));
    else request.end(body);
  });
}

const isStream = (body: EngineRequest['body']): body is ByteStream =>
  body !== undefined && !(body instanceof Uint8Array);

/** So many chunks are on their way while the next is made. */
const mostUnsent = 4;

async function pour({ bytes, sent }: ByteStream, request: ClientRequest): Promise<void> {
  let unsent = 0;
  let wake = (): void => {};
  request.once('close', () => wake());
  for await (const chunk of bytes) {
    if (request.destroyed) return;
    unsent++;
    request.write(chunk, (error) => {
      unsent--;
      if (!error) sent(chunk);
      wake();
    });
    while (unsent >= mostUnsent && !request.destroyed)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
  request.end();
}

/** 304 says that it is so already: a container that was started by a request whose answer was lost. */
export function isSuccess({ statusCode = 0 }: IncomingMessage): boolean {
  return (statusCode >= 200 && statusCode < 300) || statusCode === 304;
}
