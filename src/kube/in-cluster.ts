import { access, readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { ClusterTarget } from './cluster-target.ts';
import type { CredentialSource } from './credentials/credential.ts';
import { tokenFileCredential } from './credentials/token-file.ts';
import { pemOf, readPem } from './kube-cluster.ts';
import { proxyFor } from './proxy.ts';

export interface InCluster {
  readonly target: ClusterTarget;
  readonly credentials: CredentialSource;
  readonly namespace: string;
}

/** Where a pod finds its service account. */
export const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The cluster in whose pod we run, by its service account; null where we run in none. */
export async function inCluster(
  environment: NodeJS.ProcessEnv,
  folder: string,
  clock: Clock,
): Promise<InCluster | null> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment;
  const tokenFile = join(folder, 'token');
  if (!host || !port || !(await exists(tokenFile))) return null;
  const server = new URL(`https://${isIPv6(host) ? `[${host}]` : host}:${port}`);
  const authority = join(folder, 'ca.crt');
  const name = `the service account's CA ${authority}`;
  return {
    target: {
      server,
      proxy: proxyFor(server, undefined, environment),
      trust: { verify: true, authorities: [pemOf(await readPem(authority, name), name)], name },
      serverName: undefined,
    },
    credentials: tokenFileCredential(tokenFile, clock),
    namespace: environment.POD_NAMESPACE || (await namespaceIn(folder)) || 'default',
  };
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

async function namespaceIn(folder: string): Promise<string> {
  return readFile(join(folder, 'namespace'), 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
}
