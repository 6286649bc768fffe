import { once } from 'node:events';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { isIP } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { systemClock } from '../../../src/base/clock.ts';
import { targetOf } from '../../../src/kube/kube-cluster.ts';
import { loadKubeConfig } from '../../../src/kube/kube-config-files.ts';
import { chooseContext } from '../../../src/kube/kube-context.ts';
import { credentialsOf } from '../../../src/kube/kube-user.ts';

export interface Asked {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** The way to a Kubernetes API. */
export interface Road {
  /** As its admin; what the asker signed in with is not passed on. */
  readonly asAdmin: (asked: Asked) => ClientRequest;
  /** As whoever asked. */
  readonly asAsked: (asked: Asked) => ClientRequest;
  /** How many nodes there are. */
  readonly nodes: () => Promise<number>;
}

/** Reads a kubeconfig with a token or a client certificate. */
export async function roadTo(kubeconfig: string): Promise<Road> {
  const environment = {};
  const signal = new AbortController().signal;
  const loaded = await loadKubeConfig({ explicitFile: kubeconfig, environment, homeFolder: '/' });
  if (!loaded) throw new Error(`${kubeconfig} does not exist`);
  const context = chooseContext(loaded, undefined);
  const target = await targetOf(context, environment);
  const source = await credentialsOf(context, target, {
    clock: systemClock(),
    environment: process.env,
    trace: () => {},
    showToPerson: undefined,
    closing: signal,
  });
  const { authorization, clientCertificate } = await source.current(signal);
  const { server, trust } = target;
  const send = ({ method, url, headers }: Asked, identity: object): ClientRequest =>
    request({
      host: server.hostname.replace(/^\[|\]$/g, ''),
      port: server.port || 443,
      path: server.pathname.replace(/\/$/, '') + url,
      method,
      headers: { ...headers, host: server.host },
      servername: isIP(server.hostname) ? '' : server.hostname,
      ...(trust.authorities && { ca: [...trust.authorities] }),
      ...identity,
      agent: false,
    });
  const asAdmin = ({ headers, ...rest }: Asked): ClientRequest => {
    const { authorization: _own, ...others } = headers;
    return send(
      { ...rest, headers: { ...others, ...(authorization && { authorization }) } },
      clientCertificate ? { cert: clientCertificate.certificate, key: clientCertificate.key } : {},
    );
  };
  return { asAdmin, asAsked: (asked) => send(asked, {}), nodes: () => countNodes(asAdmin) };
}

const listSchema = z.object({ items: z.array(z.unknown()) });

async function countNodes(ask: Road['asAdmin']): Promise<number> {
  const call = ask({ method: 'GET', url: '/api/v1/nodes', headers: { accept: 'application/json' } }).end();
  const answered: Promise<[IncomingMessage]> = once(call, 'response').then(([answer]) => [answer]);
  const [answer] = await answered;
  return listSchema.parse(JSON.parse(await text(answer))).items.length;
}
