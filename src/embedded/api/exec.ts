import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocketServer } from 'ws';
import { openGate } from '../faults/stream-gate.ts';
import { podOf } from '../store/pod.ts';
import type { ApiContext } from './context.ts';
import { serveExec } from './exec-socket.ts';
import { containerNamed } from './pod-target.ts';
import { resources } from './resources.ts';
import { authorize, signIn } from './sign-in.ts';
import { ApiError, badRequest, pageNotFound } from './status.ts';
import { targetOf } from './target.ts';

const isTrue = (value: string | null): boolean => value === '1' || value === 'true';

/** Answers a WebSocket upgrade for an exec, or throws an ApiError before anything was answered. */
export function upgradeExec(
  context: ApiContext,
  sockets: WebSocketServer,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  const url = request.url ?? '/';
  const { pathname, searchParams: query } = new URL(url, 'http://localhost');
  const user = signIn(context, request);
  const target = targetOf(pathname);
  if (target?.resource !== resources.pods || target.subresource !== 'exec') throw pageNotFound();
  // Since 1.35 the API asks for both, whatever the method is.
  authorize(context, user, 'get', target);
  authorize(context, user, 'create', target);
  // Only WebSocket: a client that speaks SPDY gets the answer of a gateway that does not know it.
  if (request.method !== 'GET' || request.headers.upgrade?.toLowerCase() !== 'websocket')
    throw badRequest('Upgrade request required');
  const object = context.registry.get(resources.pods, target.namespace, target.name);
  const containerName = containerNamed(object, query.get('container'));
  if (!podOf(object).spec.nodeName) throw badRequest(`pod ${target.name} does not have a host assigned`);
  const [stdin, stdout, stderr] = ['stdin', 'stdout', 'stderr'].map((name) => isTrue(query.get(name)));
  if (!stdin && !stdout && !stderr) throw badRequest('you must specify at least 1 of stdin, stdout, stderr');
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());
  if (!context.execProtocols.some((one) => offered.includes(one)))
    throw new ApiError(
      403,
      'Forbidden',
      `unable to upgrade: no sub-protocol of ${offered.join(', ')} is served`,
    );

  const hidden = context.faults.take(['no-container'], 'exec', url) !== undefined;
  const gate = openGate(context.faults, 'exec', url, context.clock, {
    hangUp: (how) => {
      if (how === 'rst') context.reset(request.socket.remotePort);
      else socket.end();
      socket.destroy();
    },
    freeze: () => socket.pause(),
  });
  sockets.handleUpgrade(request, socket, head, (ws) => {
    ws.once('close', () => gate.close());
    const container = hidden ? undefined : context.kubelet.worker(object)?.container(containerName);
    serveExec(
      ws,
      {
        container,
        containerName,
        command: query.getAll('command'),
        stdin: stdin ?? false,
        stdout: stdout ?? false,
        stderr: stderr ?? false,
        node: context.kubelet.node,
      },
      gate,
    ).catch(() => ws.terminate());
  });
}
