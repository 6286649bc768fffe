import { createServer, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { engineKindOf } from './engine-kind.ts';
import { type Faults, faultsOf, listenHere } from './faults.ts';
import { passRequest } from './plain-request.ts';
import { rawRefusalOf } from './refusal.ts';
import { nameOf, RuleBook } from './rules.ts';
import { Traffic } from './traffic.ts';

/** A container engine that stands in front of another and breaks on demand. */
export interface EngineRelay extends Faults, AsyncDisposable {
  /** `tcp://…` */
  readonly url: string;
}

/** In front of the engine at `unix://…`. */
export async function startEngineRelay(url: string): Promise<EngineRelay> {
  const socketPath = new URL(url).pathname;
  const traffic = new Traffic(new RuleBook());
  const server = createServer({ maxHeaderSize: 2 ** 21 });
  const faults = faultsOf(server, traffic);
  server.on('clientError', (_error, socket) => socket.destroy());
  const way = {
    kindOf: engineKindOf,
    forward: ({ method, url: path, headers }: IncomingMessage) =>
      request({ socketPath, method, path, headers, agent: false }),
  };
  server.on('request', (asked, response) => {
    passRequest(way, traffic, asked, response).catch(() => asked.socket.destroy());
  });
  server.on('upgrade', (asked, client, head) => passHijack(socketPath, traffic, asked, client, head));
  const port = await listenHere(server);
  return { ...faults, url: `tcp://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => faults.end() };
}

/** Passes an exec on: from its head on, byte by byte, its body too. */
async function passHijack(
  socketPath: string,
  traffic: Traffic,
  asked: IncomingMessage,
  client: Duplex,
  head: Buffer,
): Promise<void> {
  const { method = 'POST', url = '/', rawHeaders } = asked;
  const kind = engineKindOf(method, url);
  client.on('error', () => {});
  const noted = traffic.note(kind, method, url, '');
  const rule = traffic.rules.forRequest(kind, url);
  if (rule) traffic.rules.count(nameOf(rule, kind));
  if (rule?.do === 'reset') return traffic.hangUp(asked.socket, 'rst');
  if (rule?.do === 'refuse') {
    noted.status = rule.status;
    client.end(rawRefusalOf(rule));
    return;
  }
  const engine = connect(socketPath);
  engine.on('error', () => traffic.hangUp(asked.socket, 'rst'));
  engine.write(headOf(`${method} ${url} HTTP/1.1`, rawHeaders));
  if (head.length > 0) client.unshift(head);
  if (rule?.do === 'lose') {
    client.pipe(engine);
    engine.once('data', () => {
      engine.destroy();
      traffic.hangUp(asked.socket, 'rst');
    });
    return;
  }
  if (rule?.do === 'delay') await delay(rule.ms);
  const flow = traffic.begin(kind, url, {
    fromApi: engine,
    toApi: engine,
    fromClient: client,
    toClient: client,
    hangUp: (how) => traffic.hangUp(asked.socket, how),
    release: () => engine.destroy(),
  });
  client.once('close', () => {
    if (!flow.stalled) engine.destroy();
  });
}

/** The head of a request; `raw` holds names and values in turn. */
function headOf(first: string, raw: readonly string[]): string {
  const lines = [first];
  for (let at = 0; at < raw.length; at += 2) lines.push(`${raw[at]}: ${raw[at + 1] ?? ''}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
