import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { rawHead, rawRefusalOf } from './refusal.ts';
import type { Road } from './road.ts';
import { nameOf } from './rules.ts';
import type { Traffic } from './traffic.ts';

/** Passes an exec on, as far as the rules let it. */
export function passUpgrade(
  road: Road,
  traffic: Traffic,
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
): void {
  const { method = 'GET', url = '/' } = request;
  const kind = road.kindOf(method, url);
  const reset = (): void => traffic.hangUp(request.socket, 'rst');
  client.on('error', () => {});
  const asked = traffic.note(kind, method, url, '');
  const rule = traffic.rules.forRequest(kind, url);
  if (rule) traffic.rules.count(nameOf(rule, kind));
  if (rule?.do === 'reset') {
    reset();
    return;
  }
  if (rule?.do === 'refuse') {
    asked.status = rule.status;
    client.end(rawRefusalOf(rule));
    return;
  }
  const call = road.forward(request);
  call.on('error', reset);
  client.once('close', () => call.destroy());
  call.on('response', (answer) => {
    asked.status = answer.statusCode ?? null;
    client.write(rawHead(answer.statusCode ?? 502, answer.statusMessage ?? '', answer.rawHeaders));
    answer.pipe(client);
  });
  call.on('upgrade', async (answer, api, apiHead) => {
    api.on('error', () => {});
    api.setNoDelay(true);
    if (rule?.do === 'lose') {
      api.destroy();
      return reset();
    }
    if (rule?.do === 'delay') await delay(rule.ms);
    asked.status = 101;
    client.write(rawHead(101, 'Switching Protocols', answer.rawHeaders));
    if (head.length > 0) client.unshift(head);
    if (apiHead.length > 0) api.unshift(apiHead);
    const flow = traffic.begin(kind, url, {
      fromApi: api,
      toApi: api,
      fromClient: client,
      toClient: client,
      hangUp: (how) => traffic.hangUp(request.socket, how),
      release: () => api.destroy(),
    });
    client.once('close', () => {
      if (!flow.stalled) api.destroy();
    });
  });
  call.end();
}
