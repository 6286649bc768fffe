import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import type { EngineAddress } from '../../src/engine/engine-address.ts';
import type { RunTarget } from '../../src/executor/docker/run-target.ts';
import type { Observer } from '../../src/executor/executor.ts';
import { WordWatch } from '../../src/executor/word-watch.ts';

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export const options = { clock: systemClock(), userAgent: 'test', trace: () => {} };
export const good = {
  ...{ Version: '27.0', ApiVersion: '1.46', MinAPIVersion: '1.24' },
  ...{ Os: 'linux', Arch: 'amd64' },
};

/** What answers on sockets as engines would, until this is disposed of. */
export class StandInEngines implements AsyncDisposable {
  readonly #folder: string;
  readonly #ends: (() => Promise<void>)[] = [];

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(): Promise<StandInEngines> {
    return new StandInEngines(await mkdtemp(join(tmpdir(), 'knotless-engine-')));
  }

  /** Of a socket, where none listens yet. */
  address(name: string): EngineAddress & { readonly kind: 'unix' } {
    return { kind: 'unix', path: join(this.#folder, name) };
  }

  async engineThat(
    version: object,
    answer: Answer = (_, response) => response.end(),
  ): Promise<EngineAddress> {
    const address = this.address(`${this.#ends.length}.sock`);
    const server = createServer((request, response) => {
      if (request.url === '/version') response.end(JSON.stringify(version));
      else answer(request, response);
    });
    await new Promise<void>((resolve) => {
      server.listen(address.path, resolve);
    });
    this.#ends.push(
      () =>
        new Promise((resolve) => {
          server.closeAllConnections();
          server.close(() => resolve());
        }),
    );
    return address;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#ends.splice(0)) await end();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

export function targetOf(api: RunTarget['api']): { target: RunTarget; waits: string[] } {
  const waits: string[] = [];
  const observer: Observer = {
    waiting: (word) => waits.push(word?.message ?? ''),
    warning() {},
    place() {},
    leftover() {},
    cancelled: () => 0,
    trace() {},
  };
  const clock = systemClock();
  const words = new WordWatch(clock, observer);
  return { target: { api, docker: 'docker', name: 'NAME', runId: 'id', clock, observer, words }, waits };
}
