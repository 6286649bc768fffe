import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { z } from 'zod';
import { createServerCertificate } from '../../../src/embedded/api/certificate.ts';
import { rawHead, rawRefusalOf, refusalOf } from '../../relay/refusal.ts';
import { assemble } from '../servers/assemble.ts';
import { clusterPath } from './cluster-object.ts';
import type { Asked, Road } from './road.ts';
import type { TenantCluster } from './tenant-cluster.ts';

/** Where tenants' kubeconfigs lead: one address for the APIs of all clusters, told apart by the path. */
export interface Front extends AsyncDisposable {
  readonly url: string;
  readonly authority: string;
}

/** `clusters` is asked anew for each request. */
export const startFront = (clusters: () => Iterable<TenantCluster>): Promise<Front> =>
  assemble(async (ends) => {
    const { authority, certificate, key } = await createServerCertificate(new Date());
    const server = createServer({ cert: certificate, key, maxHeaderSize: 2 ** 21 });
    const upgraded = new Set<Duplex>();
    server.on('request', (request, response) => passRequest(clusters(), request, response));
    server.on('upgrade', (request, client, head) => {
      upgraded.add(client);
      client.once('close', () => upgraded.delete(client));
      passUpgrade(clusters(), request, client, head);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.add(async () => {
      for (const client of upgraded) client.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    const { port } = z.object({ port: z.number() }).parse(server.address());
    return { url: `https://127.0.0.1:${port}`, authority };
  });

type Way = { readonly send: (asked: Asked) => ReturnType<Road['asAsked']>; readonly url: string };

/** The API that is asked for, or the status to refuse with. */
function wayOf(clusters: Iterable<TenantCluster>, { url = '/', headers }: IncomingMessage): Way | 404 | 503 {
  for (const cluster of clusters) {
    const path = clusterPath(cluster.account, cluster.name);
    if (!url.startsWith(`${path}/`)) continue;
    const road = cluster.backing?.road;
    if (!road) return 503;
    const isAdmin = headers.authorization === `Bearer ${cluster.adminToken}`;
    return { send: isAdmin ? road.asAdmin : road.asAsked, url: url.slice(path.length) };
  }
  return 404;
}

function passRequest(
  clusters: Iterable<TenantCluster>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const way = wayOf(clusters, request);
  if (typeof way === 'number') {
    const { headers, body } = refusalOf({ do: 'refuse', kind: '*', status: way, message: reasons[way] });
    response.writeHead(way, headers).end(body);
    return;
  }
  const call = way.send({ method: request.method ?? 'GET', url: way.url, headers: request.headers });
  call.on('error', () => response.destroy());
  response.once('close', () => call.destroy());
  call.on('response', (answer) => {
    const { connection: _connection, 'keep-alive': _keepAlive, ...headers } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, headers);
    response.flushHeaders();
    answer.on('error', () => response.destroy());
    answer.pipe(response);
  });
  request.pipe(call);
}

function passUpgrade(
  clusters: Iterable<TenantCluster>,
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
): void {
  client.on('error', () => {});
  const way = wayOf(clusters, request);
  if (typeof way === 'number') {
    client.end(rawRefusalOf({ do: 'refuse', kind: '*', status: way, message: reasons[way] }));
    return;
  }
  const call = way.send({ method: request.method ?? 'GET', url: way.url, headers: request.headers });
  call.on('error', () => client.destroy());
  client.once('close', () => call.destroy());
  call.on('response', (answer) => {
    client.write(rawHead(answer.statusCode ?? 502, answer.statusMessage ?? '', answer.rawHeaders));
    answer.pipe(client);
  });
  call.on('upgrade', (answer, api, apiHead) => {
    client.write(rawHead(101, 'Switching Protocols', answer.rawHeaders));
    if (head.length > 0) client.unshift(head);
    if (apiHead.length > 0) api.unshift(apiHead);
    api.on('error', () => client.destroy());
    api.once('close', () => client.destroy());
    client.once('close', () => api.destroy());
    api.pipe(client).pipe(api);
  });
  call.end();
}

const reasons = { 404: 'no such cluster', 503: 'the cluster is not ready' } as const;
