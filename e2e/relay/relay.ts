import { randomBytes } from 'node:crypto';
import { createServer } from 'node:https';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createServerCertificate, type ServerCertificate } from '../../src/embedded/api/certificate.ts';
import { writeKubeconfig } from '../../src/embedded/kubeconfig.ts';
import { passRequest } from './plain-request.ts';
import { openRoad } from './road.ts';
import { type Rule, RuleBook } from './rules.ts';
import { type Asked, Traffic } from './traffic.ts';
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
export interface Relay extends AsyncDisposable {
  /** The kubeconfig whose server is the relay. */
  readonly kubeconfig: string;
  /** What was asked so far, in order. */
  readonly asked: readonly Asked[];
  /** How often each fault struck, by name: `cut-rst exec`, `refuse-503 get-job`. */
  readonly applied: ReadonlyMap<string, number>;
  add(...rules: readonly Rule[]): void;
  clear(): void;
  /** Cuts what is under way of these kinds; how many that were. */
  cut(how: 'fin' | 'rst', ...kinds: readonly string[]): number;
  /** No byte goes either way any more, and no socket is closed; how many that were. */
  stall(...kinds: readonly string[]): number;
  /** Resets every connection, and each new one, until `up`. */
  down(): void;
  up(): void;
}

export async function startRelay(options: RelayOptions): Promise<Relay> {
  const closing = new AbortController();
  const road = await openRoad(options.kubeconfig, closing.signal);
  const certificate = options.certificate ?? (await createServerCertificate(new Date()));
  const rules = new RuleBook();
  const traffic = new Traffic(rules);
  let isDown = false;
  const server = createServer({
    cert: certificate.certificate,
    key: certificate.key,
    maxHeaderSize: 2 ** 21,
  });
  server.on('connection', (socket) => {
    if (!(socket instanceof Socket)) return;
    if (isDown) socket.resetAndDestroy();
    else traffic.connected(socket);
  });
  server.on('tlsClientError', () => {});
  server.on('clientError', (_error, socket) => socket.destroy());
  server.on('request', (request, response) => {
    passRequest(road, traffic, request, response).catch(() => request.socket.destroy());
  });
  server.on('upgrade', (request, client, head) => passUpgrade(road, traffic, request, client, head));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the relay has no port');
  const token = road.token ?? randomBytes(16).toString('hex');
  const kubeconfig = join(options.folder, `relay-${address.port}.kubeconfig`);
  await writeKubeconfig(kubeconfig, `https://127.0.0.1:${address.port}`, certificate.authority, token);
  const add = (...added: readonly Rule[]): void => {
    for (const rule of added) rules.add(rule);
  };
  add(...(options.rules ?? []));
  return {
    kubeconfig,
    asked: traffic.asked,
    applied: rules.applied,
    add,
    clear: () => rules.clear(),
    cut(how, ...kinds) {
      const struck = traffic.flows(kinds).filter((flow) => flow.cut(how));
      for (const { kind } of struck) rules.count(`cut-${how} ${kind}`);
      return struck.length;
    },
    stall(...kinds) {
      const struck = traffic.flows(kinds).filter((flow) => flow.stall());
      for (const { kind } of struck) rules.count(`stall ${kind}`);
      return struck.length;
    },
    down() {
      isDown = true;
      rules.count('api away');
      traffic.resetAll();
    },
    up() {
      isDown = false;
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      isDown = true;
      const closed = new Promise((resolve) => server.close(resolve));
      traffic.resetAll();
      await closed;
    },
  };
}
