import { randomBytes } from 'node:crypto';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { createServerCertificate, type ServerCertificate } from '../../src/embedded/api/certificate.ts';
import { writeKubeconfig } from '../../src/embedded/kubeconfig.ts';
import { type Faults, faultsOf, listenHere } from './faults.ts';
import { passRequest } from './plain-request.ts';
import { openRoad } from './road.ts';
import { type Rule, RuleBook } from './rules.ts';
import { Traffic } from './traffic.ts';
import { passUpgrade } from './upgrade.ts';

export interface RelayOptions {
  /** Of the cluster behind the relay, signed in to by a token or a client certificate. */
  readonly kubeconfig: string;
  /** Where the relay's own kubeconfig is written. */
  readonly folder: string;
  readonly rules?: readonly Rule[];
  /** Made for 127.0.0.1; one of the relay's own without it. */
  readonly certificate?: ServerCertificate;
}

/** A Kubernetes API that stands in front of another and breaks on demand. */
export interface Relay extends Faults, AsyncDisposable {
  /** The kubeconfig whose server is the relay. */
  readonly kubeconfig: string;
}

export async function startRelay(options: RelayOptions): Promise<Relay> {
  const closing = new AbortController();
  const road = await openRoad(options.kubeconfig, closing.signal);
  const certificate = options.certificate ?? (await createServerCertificate(new Date()));
  const rules = new RuleBook();
  const traffic = new Traffic(rules);
  const server = createServer({
    cert: certificate.certificate,
    key: certificate.key,
    maxHeaderSize: 2 ** 21,
  });
  const faults = faultsOf(server, traffic, options.rules);
  server.on('tlsClientError', () => {});
  server.on('clientError', (_error, socket) => socket.destroy());
  server.on('request', (request, response) => {
    passRequest(road, traffic, request, response).catch(() => request.socket.destroy());
  });
  server.on('upgrade', (request, client, head) => passUpgrade(road, traffic, request, client, head));
  const port = await listenHere(server);
  const token = road.token ?? randomBytes(16).toString('hex');
  const kubeconfig = join(options.folder, `relay-${port}.kubeconfig`);
  await writeKubeconfig(kubeconfig, `https://127.0.0.1:${port}`, certificate.authority, token);
  return {
    ...faults,
    kubeconfig,
    async [Symbol.asyncDispose]() {
      closing.abort();
      await faults.end();
    },
  };
}
