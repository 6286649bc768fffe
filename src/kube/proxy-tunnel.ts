import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { isIP, isIPv6, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { messageOf, RunnerError } from '../base/errors.ts';
import { hostOf, portOf, proxyName } from './proxy.ts';

/** For an https proxy. kubectl trusts there whom it trusts as the server. */
export interface ProxyTls {
  readonly secureContext: SecureContext;
  readonly rejectUnauthorized: boolean;
}

/** A connection to `server` through a proxy, by CONNECT. Rejects with ConnectionLost that names the proxy. */
export function openTunnel(proxy: URL, server: URL, tls: ProxyTls, signal: AbortSignal): Promise<Socket> {
  const host = hostOf(server);
  const authority = `${isIPv6(host) ? `[${host}]` : host}:${portOf(server)}`;
  const proxyHost = hostOf(proxy);
  const user = decodeURIComponent(proxy.username);
  const password = decodeURIComponent(proxy.password);
  const options = {
    method: 'CONNECT',
    host: proxyHost,
    port: portOf(proxy),
    path: authority,
    headers: {
      Host: authority,
      ...(user || password
        ? { 'Proxy-Authorization': `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
        : {}),
    },
    agent: false,
    signal,
  };
  const name = proxyName(proxy);
  return new Promise((resolve, reject) => {
    const request =
      proxy.protocol === 'https:'
        ? tlsRequest({ ...options, ...tls, servername: isIP(proxyHost) ? '' : proxyHost })
        : plainRequest(options);
    const refuse = (why: string, retry: boolean, cause?: unknown): void => {
      request.destroy();
      reject(new RunnerError('ConnectionLost', `the proxy ${name} ${why}`, { retry, cause }));
    };
    request.once('connect', (answer, socket, head) => {
      const status = answer.statusCode ?? 0;
      if (status !== 200) {
        socket.destroy();
        const cure = status === 407 ? '; put its user and password into the proxy URL' : '';
        return refuse(`refused the way to ${authority} with status ${status}${cure}`, status >= 500);
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.once('response', (answer) => {
      refuse(`does not know CONNECT (status ${answer.statusCode})`, false);
    });
    request.on('error', (error) => refuse(`could not be used: ${messageOf(error)}`, true, error));
    request.end();
  });
}
