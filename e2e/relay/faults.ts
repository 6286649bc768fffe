import { type Server, Socket } from 'node:net';
import type { Rule } from './rules.ts';
import type { Asked, Traffic } from './traffic.ts';

/** How a relay is made to break, and what it has seen. */
export interface Faults {
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

interface EndingFaults extends Faults {
  /** Ends the server and all that goes through it. */
  end(): Promise<void>;
}

export function faultsOf(server: Server, traffic: Traffic, first: readonly Rule[] = []): EndingFaults {
  const { rules } = traffic;
  let isDown = false;
  server.on('connection', (socket) => {
    if (!(socket instanceof Socket)) return;
    if (isDown) socket.resetAndDestroy();
    else traffic.connected(socket);
  });
  server.on('secureConnection', (socket) => traffic.secured(socket));
  const add = (...added: readonly Rule[]): void => {
    for (const rule of added) rules.add(rule);
  };
  add(...first);
  return {
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
    async end() {
      isDown = true;
      const closed = new Promise((resolve) => server.close(resolve));
      traffic.resetAll();
      await closed;
    },
  };
}

/** The port on this machine that the server has from now on. */
export async function listenHere(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the relay has no port');
  return address.port;
}
