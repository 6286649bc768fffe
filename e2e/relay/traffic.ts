import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Flow, type FlowEnds } from './flow.ts';
import { nameOf, type RuleBook } from './rules.ts';

/** One request that came to the relay. */
export interface Asked {
  readonly kind: string;
  readonly method: string;
  readonly url: string;
  readonly body: string;
  /** What the client was answered, or null while, or because, nobody answered. */
  status: number | null;
}

/** What a finished connection may still send before it is taken away. */
const partingMs = 500;

/** All that goes through the relay now, and what has. */
export class Traffic {
  readonly rules: RuleBook;
  readonly asked: Asked[] = [];
  readonly #flows = new Set<Flow>();
  /** Over at the client's end only. */
  readonly #stalled: Flow[] = [];
  /** The sockets under TLS, by their port at the client. */
  readonly #sockets = new Map<number, Socket>();
  /** What runs over them, likewise. */
  readonly #secured = new Map<number, Duplex>();

  constructor(rules: RuleBook) {
    this.rules = rules;
  }

  connected(socket: Socket): void {
    const port = socket.remotePort ?? 0;
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.once('close', () => {
      if (this.#sockets.get(port) !== socket) return;
      this.#sockets.delete(port);
      this.#secured.delete(port);
    });
    this.#sockets.set(port, socket);
  }

  secured(socket: Duplex & { readonly remotePort?: number | undefined }): void {
    this.#secured.set(socket.remotePort ?? 0, socket);
  }

  note(kind: string, method: string, url: string, body: string): Asked {
    const asked: Asked = { kind, method, url, body, status: null };
    this.asked.push(asked);
    return asked;
  }

  begin(kind: string, url: string, ends: FlowEnds): Flow {
    const rules = this.rules.forStream(kind, url);
    const flow = new Flow(kind, ends, rules, (rule) => this.rules.count(nameOf(rule, kind)));
    this.#flows.add(flow);
    flow.over.addEventListener('abort', () => {
      this.#flows.delete(flow);
      if (flow.stalled) this.#stalled.push(flow);
    });
    return flow;
  }

  /** The flows of these kinds that are under way. */
  flows(kinds: readonly string[]): Flow[] {
    return [...this.#flows].filter(({ kind }) => kinds.includes(kind));
  }

  hangUp(client: Duplex & { readonly remotePort?: number | undefined }, how: 'fin' | 'rst'): void {
    if (how === 'rst') {
      this.#reset(client.remotePort ?? 0);
      client.destroy();
    } else {
      client.end();
      setTimeout(() => client.destroy(), partingMs).unref();
    }
  }

  resetAll(): void {
    for (const port of [...this.#sockets.keys()]) this.#reset(port);
    for (const flow of [...this.#flows]) flow.cut('rst');
    for (const flow of this.#stalled.splice(0)) flow.release();
  }

  /** A socket whose end is on its way cannot be reset: Node would never let go of it, and never end (tried on 20). */
  #reset(port: number): void {
    const socket = this.#sockets.get(port);
    if (socket?.writableEnded || this.#secured.get(port)?.writableEnded) socket?.destroy();
    else socket?.resetAndDestroy();
  }
}
