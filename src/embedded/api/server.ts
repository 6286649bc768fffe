import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { messageOf } from '../../base/errors.ts';
import { kindOf } from '../faults/kind-of.ts';
import type { FaultRule } from '../faults/rules.ts';
import type { StreamGate } from '../faults/stream-gate.ts';
import { openGate } from '../faults/stream-gate.ts';
import type { ServerCertificate } from './certificate.ts';
import type { ApiContext, ApiResponse } from './context.ts';
import { upgradeExec } from './exec.ts';
import { readBody } from './read-body.ts';
import { resources } from './resources.ts';
import { route } from './routes.ts';
import { signIn } from './sign-in.ts';
import { ApiError, internalError } from './status.ts';
import { targetOf } from './target.ts';

export interface ApiServer extends AsyncDisposable {
  readonly url: string;
}

/** What the server needs besides the handlers' context, which is made once its connections can be reset. */
export type MakeContext = (reset: ApiContext['reset']) => ApiContext;

/** Serves the API over HTTPS on 127.0.0.1, on a free port. */
export async function startServer(
  certificate: ServerCertificate,
  makeContext: MakeContext,
): Promise<ApiServer> {
  const connections = new Map<number | undefined, Socket>();
  const stop = new AbortController();
  const context = makeContext((port) => {
    connections.get(port)?.resetAndDestroy();
  });
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    handleProtocols: (offered) => context.execProtocols.find((one) => offered.has(one)) ?? false,
  });
  const server = createServer({
    key: certificate.key,
    cert: certificate.certificate,
    ALPNProtocols: ['http/1.1'],
    keepAliveTimeout: 120_000,
    requestTimeout: 0,
  });
  server.on('connection', (socket: Socket) => {
    const port = socket.remotePort;
    socket.setNoDelay(true);
    connections.set(port, socket);
    socket.once('close', () => connections.delete(port));
    socket.on('error', () => {});
  });
  server.on('tlsClientError', () => {});
  server.on('request', (request, response) => {
    serve(context, request, response, stop.signal).catch(() => response.destroy());
  });
  server.on('upgrade', (request, socket, head) => {
    upgrade(context, sockets, request, socket, head).catch(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = portOf(server.address());
  return {
    url: `https://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      stop.abort();
      const closed = once(server, 'close');
      server.close();
      for (const client of sockets.clients) client.terminate();
      for (const socket of connections.values()) socket.destroy();
      await closed;
    },
  };
}

function portOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address;
}

/** Applies the rules for requests. True where the request is answered, or never will be. */
async function interfere(
  context: ApiContext,
  request: IncomingMessage,
  kind: string,
  answer: (error: ApiError) => void,
): Promise<boolean> {
  const url = request.url ?? '/';
  const next = (): FaultRule | undefined =>
    context.faults.take(['evict', 'oom', 'delete-pod', 'lose-node'], kind, url);
  for (let rule = next(), once = 0; rule && once < 10; rule = next(), once += 1)
    context.happen(rule, podIn(context, url));
  const rule = context.faults.take(['answer', 'reset', 'delay'], kind, url);
  if (rule?.do === 'delay') await context.clock.sleep(rule.ms);
  if (rule?.do === 'reset') context.reset(request.socket.remotePort);
  if (rule?.do === 'answer') {
    const reason =
      { 401: 'Unauthorized', 403: 'Forbidden', 429: 'TooManyRequests', 503: 'ServiceUnavailable' }[
        rule.status
      ] ?? 'InternalError';
    const message = rule.message ?? `a fault rule answers ${rule.status}`;
    const details = rule.retryAfter === undefined ? undefined : { retryAfterSeconds: rule.retryAfter };
    answer(new ApiError(rule.status, reason, message, details));
  }
  return rule?.do === 'answer' || rule?.do === 'reset';
}

function podIn({ registry }: ApiContext, url: string): ReturnType<typeof registry.store.get> {
  const target = targetOf(new URL(url, 'http://localhost').pathname);
  if (target?.resource !== resources.pods || target.name === '') return undefined;
  return registry.store.get(resources.pods, target.namespace, target.name);
}

const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : internalError(messageOf(error));

const headersOf = (error: ApiError, body: string): Record<string, string> => ({
  'content-type': 'application/json',
  'content-length': String(Buffer.byteLength(body)),
  ...(error.details?.retryAfterSeconds !== undefined && {
    'retry-after': String(error.details.retryAfterSeconds),
  }),
});

async function serve(
  context: ApiContext,
  request: IncomingMessage,
  response: ServerResponse,
  stopped: AbortSignal,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  response.on('error', () => {});
  const url = request.url ?? '/';
  const kind = kindOf(request.method ?? 'GET', url);
  const refuse = (error: ApiError): void => {
    const body = JSON.stringify(error.body);
    response.writeHead(error.code, headersOf(error, body)).end(body);
  };
  let answer: ApiResponse;
  let lost: boolean;
  try {
    const body = await readBody(request);
    if (await interfere(context, request, kind, refuse)) return;
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    lost = context.faults.take(['lose'], kind, url) !== undefined;
    answer = route(context, {
      method: request.method ?? 'GET',
      url,
      path: pathname,
      query: searchParams,
      accept: request.headers.accept,
      contentType: request.headers['content-type'] ?? '',
      body,
      user: signIn(context, request),
      signal: AbortSignal.any([gone.signal, stopped]),
    });
  } catch (error) {
    refuse(asApiError(error));
    return;
  }
  if (lost) {
    context.reset(request.socket.remotePort);
    return;
  }
  if ('json' in answer) {
    const text = JSON.stringify(answer.json);
    const warning =
      answer.warning === undefined ? {} : { warning: `299 - ${JSON.stringify(answer.warning)}` };
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      ...warning,
    };
    response.writeHead(answer.code, headers).end(text);
  } else if ('text' in answer) {
    response.writeHead(answer.code, { 'content-type': 'text/plain' }).end(answer.text);
  } else {
    const gate = openGate(context.faults, kind, url, context.clock, {
      hangUp: (how) => {
        if (how === 'rst') context.reset(request.socket.remotePort);
        else response.end();
      },
      freeze: () => request.socket.pause(),
    });
    await stream(response, answer, gate, gone.signal).finally(() => gate.close());
  }
}

async function stream(
  response: ServerResponse,
  answer: Extract<ApiResponse, { stream: unknown }>,
  gate: StreamGate,
  gone: AbortSignal,
): Promise<void> {
  response.writeHead(answer.code, { 'content-type': answer.type, 'cache-control': 'no-cache, private' });
  response.flushHeaders();
  const ended = new Promise<void>((resolve) =>
    gone.addEventListener('abort', () => resolve(), { once: true }),
  );
  for await (const chunk of answer.stream) {
    await Promise.race([gate.pass(chunk.length), ended]);
    if (gone.aborted || response.writableEnded) return;
    if (!response.write(chunk))
      await Promise.race([once(response, 'drain', { signal: gone }), ended]).catch(() => {});
  }
  response.end();
}

async function upgrade(
  context: ApiContext,
  sockets: WebSocketServer,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  socket.on('error', () => {});
  const refuse = (error: ApiError): void => {
    const body = JSON.stringify(error.body);
    const headers = Object.entries({ ...headersOf(error, body), connection: 'close' })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    socket.end(`HTTP/1.1 ${error.code} ${STATUS_CODES[error.code]}\r\n${headers}\r\n${body}`);
  };
  try {
    const kind = kindOf(request.method ?? 'GET', request.url ?? '/');
    if (await interfere(context, request, kind, refuse)) return;
    upgradeExec(context, sockets, request, socket, head);
  } catch (error) {
    refuse(asApiError(error));
  }
}
