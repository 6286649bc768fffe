import { setMaxListeners } from 'node:events';
import { Agent as PlainAgent } from 'node:http';
import { Agent } from 'node:https';
import { isIP, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  checkServerIdentity,
  connect,
  createSecureContext,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import type { Clock } from '../base/clock.ts';
import { withDeadline } from '../base/deadline.ts';
import { asRunnerError, badInput, messageOf } from '../base/errors.ts';
import { type ClusterTarget, serverName } from './cluster-target.ts';
import { connectionError } from './connection-error.ts';
import type { ClientCertificate } from './credentials/credential.ts';
import { hostOf, portOf } from './proxy.ts';
import { openTunnel } from './proxy-tunnel.ts';

const connectPatienceMs = 30_000;
/** Shorter than what servers and load balancers wait: a request on a connection that they just closed is lost. */
const idleMs = 15_000;
/** Node's own quarter of a second is too short for the other side of the world. */
const eachAddress = { autoSelectFamilyAttemptTimeout: 2_500 };

/** One road for REST, watches and exec streams: connections kept alive, TLS sessions taken up again. */
export function clusterAgent(
  target: ClusterTarget,
  certificate: ClientCertificate | undefined,
  clock: Clock,
): PlainAgent {
  const options = { keepAlive: true, timeout: idleMs, scheduling: 'lifo' as const };
  if (target.server.protocol === 'http:') return new PlainAgent(options);
  return new ClusterAgent(options, target, certificate, clock);
}

class ClusterAgent extends Agent {
  readonly #target: ClusterTarget;
  readonly #certificate: ClientCertificate | undefined;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  #session: Buffer | undefined;
  #secureContext: SecureContext | undefined;

  constructor(
    options: ConstructorParameters<typeof Agent>[0],
    target: ClusterTarget,
    certificate: ClientCertificate | undefined,
    clock: Clock,
  ) {
    super(options);
    setMaxListeners(0, this.#closing.signal); // one for each connection that is being opened
    this.#target = target;
    this.#certificate = certificate;
    this.#clock = clock;
  }

  override createConnection(
    _options: unknown,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const deadline = { name: `the connection to ${serverName(this.#target)}`, ms: connectPatienceMs };
    withDeadline(this.#clock, deadline, this.#closing.signal, (signal) => this.#dial(signal)).then(
      (socket) => callback?.(null, socket),
      (error) => callback?.(asRunnerError(error, 'ConnectionLost'), new Socket()),
    );
  }

  override destroy(): void {
    this.#closing.abort(new Error('the connection to the cluster was closed'));
    super.destroy();
  }

  async #dial(signal: AbortSignal): Promise<TLSSocket> {
    const { server, trust, proxy } = this.#target;
    const host = hostOf(server);
    const name = this.#target.serverName ?? host;
    const secureContext = this.#context();
    const tls = { secureContext, rejectUnauthorized: trust.verify };
    const tunnel = proxy ? await openTunnel(proxy, server, tls, signal) : undefined;
    return new Promise((resolve, reject) => {
      const socket = connect({
        ...tls,
        ...(tunnel ? { socket: tunnel } : { host, port: Number(portOf(server)), ...eachAddress }),
        ALPNProtocols: ['http/1.1'],
        servername: isIP(name) ? '' : name,
        checkServerIdentity: (_host, peer) => checkServerIdentity(name, peer),
        ...(this.#session ? { session: this.#session } : {}),
      });
      const stop = (): void => void socket.destroy();
      signal.addEventListener('abort', stop, { once: true });
      // Stays on: between two requests nobody else listens.
      socket.on('error', (error) => {
        this.#session = undefined;
        reject(connectionError(error, this.#target));
      });
      socket.on('session', (session) => {
        this.#session = session;
      });
      socket.once('close', () => {
        signal.removeEventListener('abort', stop);
        tunnel?.destroy();
        reject(connectionError(new Error('closed during the TLS handshake'), this.#target));
      });
      socket.once('secureConnect', () => {
        signal.removeEventListener('abort', stop);
        socket.setKeepAlive(true, 30_000);
        socket.setNoDelay(true);
        resolve(socket);
      });
    });
  }

  #context(): SecureContext {
    try {
      this.#secureContext ??= createSecureContext({
        ...(this.#target.trust.authorities ? { ca: [...this.#target.trust.authorities] } : {}),
        ...(this.#certificate ? { cert: this.#certificate.certificate, key: this.#certificate.key } : {}),
      });
      return this.#secureContext;
    } catch (error) {
      throw badInput(
        `the certificates for ${serverName(this.#target)} cannot be used: ${messageOf(error)}; look at the client certificate, its key and ${this.#target.trust.name}`,
        error,
      );
    }
  }
}
