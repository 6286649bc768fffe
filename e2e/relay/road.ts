import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { isIP } from 'node:net';
import { homedir } from 'node:os';
import { systemClock } from '../../src/base/clock.ts';
import { kindOf } from '../../src/embedded/faults/kind-of.ts';
import { targetOf } from '../../src/kube/kube-cluster.ts';
import { loadKubeConfig } from '../../src/kube/kube-config-files.ts';
import { chooseContext } from '../../src/kube/kube-context.ts';
import { credentialsOf } from '../../src/kube/kube-user.ts';

/** The way from a relay to what is behind it. */
export interface Way {
  /** The kind of a request, as rules name it. */
  kindOf(method: string, url: string): string;
  forward(asked: IncomingMessage): ClientRequest;
}

/** The way to a Kubernetes API. */
export interface Road extends Way {
  readonly namespace: string | undefined;
  /** What the relay's clients sign in with; undefined where the relay does it for them, by a client certificate. */
  readonly token: string | undefined;
}

/** Reads a kubeconfig with a token or a client certificate. */
export async function openRoad(kubeconfig: string, closing: AbortSignal): Promise<Road> {
  const environment = {};
  const loaded = await loadKubeConfig({ explicitFile: kubeconfig, environment, homeFolder: homedir() });
  if (!loaded) throw new Error(`${kubeconfig} does not exist`);
  const context = chooseContext(loaded, undefined);
  const target = await targetOf(context, environment);
  const surroundings = {
    clock: systemClock(),
    environment: process.env,
    trace: () => {},
    showToPerson: undefined,
    closing,
  };
  const { authorization, clientCertificate } = await (
    await credentialsOf(context, target, surroundings)
  ).current(closing);
  const { server, trust, serverName = server.hostname } = target;
  return {
    kindOf,
    namespace: context.namespace,
    token: authorization?.replace(/^Bearer /, ''),
    forward({ method, url, headers }) {
      const { authorization: own, ...rest } = headers;
      return request({
        host: server.hostname.replace(/^\[|\]$/g, ''),
        port: server.port || 443,
        path: server.pathname.replace(/\/$/, '') + url,
        method,
        headers: { ...rest, host: server.host, ...(authorization && own ? { authorization: own } : {}) },
        servername: isIP(serverName) ? '' : serverName,
        rejectUnauthorized: trust.verify,
        ...(trust.authorities ? { ca: [...trust.authorities] } : {}),
        ...(clientCertificate ? { cert: clientCertificate.certificate, key: clientCertificate.key } : {}),
        agent: false,
      });
    },
  };
}
