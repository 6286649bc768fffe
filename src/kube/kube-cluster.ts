import { readFile } from 'node:fs/promises';
import { badInput } from '../base/errors.ts';
import { errorCodeOf } from '../base/system-error.ts';
import { type ClusterTarget, serverName, type Trust } from './cluster-target.ts';
import type { PluginClusterInfo } from './credentials/exec-credential.ts';
import type { ChosenContext } from './kube-context.ts';
import { besideFile } from './kube-paths.ts';
import { proxyFor } from './proxy.ts';
import { systemTrust } from './system-trust.ts';

/** The way to the cluster of a context. Throws BadInput that names the file and the entry. */
export async function targetOf(
  context: ChosenContext,
  environment: NodeJS.ProcessEnv,
): Promise<ClusterTarget> {
  const { value: cluster, file } = context.cluster;
  const where = `the cluster "${context.clusterName}" of the kubeconfig ${file}`;
  const server = serverOf(cluster.server, where);
  const proxy = proxyFor(server, cluster['proxy-url'], environment);
  if (proxy && server.protocol === 'http:') {
    throw badInput(`${where} is a plain http:// server behind a proxy, which is not supported; use https://`);
  }
  const trust = await trustOf(context, where, environment);
  return { server, proxy, trust, serverName: cluster['tls-server-name'] };
}

function serverOf(text: string | undefined, where: string): URL {
  if (!text) throw badInput(`${where} has no server; give it the address of the Kubernetes API`);
  let server: URL;
  try {
    server = new URL(/^[a-z]+:\/\//i.test(text) ? text : `https://${text}`);
  } catch {
    throw badInput(`${where} has a server that is no URL`);
  }
  if (server.protocol !== 'https:' && server.protocol !== 'http:') {
    throw badInput(`${where} has a server that is neither https:// nor http://`);
  }
  if (server.username || server.password) {
    throw badInput(`${where} has credentials in its server's address; move them to the kubeconfig's users`);
  }
  server.search = '';
  server.hash = '';
  return server;
}

async function trustOf(
  context: ChosenContext,
  where: string,
  environment: NodeJS.ProcessEnv,
): Promise<Trust> {
  const { value: cluster, file } = context.cluster;
  const authority = cluster['certificate-authority'];
  const data = cluster['certificate-authority-data'];
  if (cluster['insecure-skip-tls-verify']) {
    if (authority || data) {
      throw badInput(
        `${where} has both a certificate-authority and insecure-skip-tls-verify; remove the latter`,
      );
    }
    return { verify: false, authorities: undefined, name: 'nothing (insecure-skip-tls-verify)' };
  }
  if (data) {
    const name = `the certificate-authority-data of ${where}`;
    return { verify: true, authorities: [pemOf(Buffer.from(data, 'base64').toString(), name)], name };
  }
  if (!authority) return systemTrust(environment);
  const path = besideFile(file, authority);
  const name = `the certificate-authority ${path} of ${where}`;
  return { verify: true, authorities: [pemOf(await readPem(path, name), name)], name };
}

export async function readPem(path: string, name: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw badInput(`${name} cannot be read (${errorCodeOf(error)})`, error);
  }
}

/** Checks that a text may be PEM, so that a slip is told here and not as a failed handshake. */
export function pemOf(text: string, name: string): string {
  if (!text.includes('-----BEGIN')) throw badInput(`${name} is no PEM`);
  return text;
}

/** A cluster as a kubeconfig has it, with nothing in it that stands in another file. */
export interface ClusterEntry {
  readonly server: string;
  readonly 'tls-server-name'?: string;
  readonly 'insecure-skip-tls-verify'?: true;
  readonly 'certificate-authority-data'?: string;
  readonly 'proxy-url'?: string;
}

/** Roots that only this machine trusts are left out, as the context's own entry does. */
export function clusterEntry(context: ChosenContext, target: ClusterTarget): ClusterEntry {
  const { value: cluster } = context.cluster;
  const named = cluster['certificate-authority'] || cluster['certificate-authority-data'];
  const authorities = named ? target.trust.authorities?.join('\n') : undefined;
  return {
    server: serverName(target),
    ...(target.serverName ? { 'tls-server-name': target.serverName } : {}),
    ...(target.trust.verify ? {} : { 'insecure-skip-tls-verify': true }),
    ...(authorities ? { 'certificate-authority-data': Buffer.from(authorities).toString('base64') } : {}),
    ...(cluster['proxy-url'] ? { 'proxy-url': cluster['proxy-url'] } : {}),
  };
}

/** What a credential plugin is told of the cluster. */
export function pluginClusterInfo(context: ChosenContext, target: ClusterTarget): PluginClusterInfo {
  const { value: cluster } = context.cluster;
  const config = cluster.extensions.find(({ name }) => name === 'client.authentication.k8s.io/exec');
  return {
    ...clusterEntry(context, target),
    server: cluster.server ?? target.server.href,
    ...(config ? { config: config.extension } : {}),
  };
}
