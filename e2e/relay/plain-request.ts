import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Flow } from './flow.ts';
import { refusalOf } from './refusal.ts';
import type { Way } from './road.ts';
import { nameOf } from './rules.ts';
import type { Traffic } from './traffic.ts';

/** Passes one request and its answer on, as far as the rules let it. */
export async function passRequest(
  road: Way,
  traffic: Traffic,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', url = '/', socket } = request;
  const kind = road.kindOf(method, url);
  const body = await bodyOf(request);
  response.on('error', () => {});
  const asked = traffic.note(kind, method, url, body.toString());
  const rule = traffic.rules.forRequest(kind, url);
  if (rule) traffic.rules.count(nameOf(rule, kind));
  if (rule?.do === 'reset') return traffic.hangUp(socket, 'rst');
  if (rule?.do === 'refuse') {
    const refusal = refusalOf(rule);
    asked.status = rule.status;
    response.writeHead(rule.status, refusal.headers).end(refusal.body);
    return;
  }
  const call = road.forward(request);
  let flow: Flow | undefined;
  call.on('error', () => {
    if (!flow?.stalled) traffic.hangUp(socket, 'rst');
  });
  response.once('close', () => {
    if (!flow?.stalled) call.destroy();
  });
  call.on('response', async (answer) => {
    answer.on('error', () => socket.destroy());
    if (rule?.do === 'lose') {
      answer.resume();
      answer.once('end', () => traffic.hangUp(socket, 'rst'));
      return;
    }
    if (rule?.do === 'delay') await delay(rule.ms);
    asked.status = answer.statusCode ?? null;
    const { connection: _connection, 'keep-alive': _keepAlive, ...headers } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, headers);
    response.flushHeaders();
    flow = traffic.begin(kind, url, {
      fromApi: answer,
      toApi: undefined,
      fromClient: undefined,
      toClient: response,
      hangUp: (how) => traffic.hangUp(socket, how),
      release: () => call.destroy(),
    });
  });
  call.end(body);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
