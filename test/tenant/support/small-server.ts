import { createServer as createPlain, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTls } from 'node:https';
import type { IssuedPair } from '../../kube/fixtures/test-authority.ts';

export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly cookies: ReadonlyMap<string, string>;
}

export interface SmallServer extends AsyncDisposable {
  readonly origin: string;
  /** All requests so far. */
  readonly seen: readonly Asked[];
}

export type Answer = (asked: Asked, response: ServerResponse) => void | Promise<void>;

/** An HTTP server, or HTTPS with `pair`, on this machine; `host` is how its addresses name it. */
export async function smallServer(host: string, answer: Answer, pair?: IssuedPair): Promise<SmallServer> {
  const seen: Asked[] = [];
  let origin = '';
  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const asked: Asked = {
      method: request.method ?? '',
      url: new URL(request.url ?? '/', origin),
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
      cookies: new Map(
        (request.headers.cookie ?? '')
          .split('; ')
          .map((pair) => [pair.split('=')[0] ?? '', pair.split('=').slice(1).join('=')] as const),
      ),
    };
    seen.push(asked);
    await answer(asked, response);
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    onRequest(request, response).catch((error) => response.destroy(error));
  };
  const server = pair
    ? createTls({ cert: pair.certificate, key: pair.key }, listener)
    : createPlain(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  origin = `${pair ? 'https' : 'http'}://${host}:${port}`;
  return {
    origin,
    seen,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
