import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../src/base/clock.ts';
import { connectToEngine } from '../../src/engine/connect-to-engine.ts';
import type { EngineAddress } from '../../src/engine/engine-address.ts';
import { readyImage } from '../../src/executor/docker/image.ts';
import type { RunTarget } from '../../src/executor/docker/run-target.ts';
import type { Observer } from '../../src/executor/executor.ts';
import { WordWatch } from '../../src/executor/word-watch.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let folder: string;
const ends: (() => Promise<void>)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'knotless-engine-'));
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await rm(folder, { recursive: true, force: true });
});

/** Something that answers on a socket as an engine would. */
async function engineThat(
  version: object,
  answer: Answer = (_, response) => response.end(),
): Promise<EngineAddress> {
  const path = join(folder, `${ends.length}.sock`);
  const server = createServer((request, response) => {
    if (request.url === '/version') response.end(JSON.stringify(version));
    else answer(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(path, resolve);
  });
  ends.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return { kind: 'unix', path };
}

const options = { clock: systemClock(), userAgent: 'test', trace: () => {} };
const good = { Version: '27.0', ApiVersion: '1.46', MinAPIVersion: '1.24', Os: 'linux', Arch: 'amd64' };

describe('an engine', () => {
  it('has done what it says is so already, as after an answer that was lost', async () => {
    const there = await engineThat(good, (_, response) => {
      response.statusCode = 304;
      response.end();
    });
    await using engine = await connectToEngine([there], options);
    const call = { method: 'POST', path: '/containers/x/start', action: 'start it' } as const;
    await expect(engine.api.request(call, z.unknown())).resolves.toBeNull();
  });

  it('is the first that answers, spoken to in a version that both know', async () => {
    const asked: (string | undefined)[] = [];
    const there = await engineThat({ ...good, ApiVersion: '1.99' }, ({ url }, response) => {
      asked.push(url);
      response.statusCode = 404;
      response.end('{"message":"No such image"}');
    });
    const missing = { kind: 'unix', path: join(folder, 'none.sock') } as const;
    await using engine = await connectToEngine([missing, there], options);
    expect(engine).toMatchObject({ name: 'Docker Engine 27.0', platform: 'linux/amd64' });
    const { target } = targetOf(engine.api);
    await readyImage(target, { image: 'a/b:1', pull: 'never', signIn, platform: 'linux/amd64' }, never).catch(
      () => {},
    );
    expect(asked).toEqual(['/v1.47/images/a/b:1/json']);
  });

  it('that is too old, or too new, is told with its version and ours', async () => {
    const old = await engineThat({ ...good, ApiVersion: '1.30' });
    await expect(connectToEngine([old], options)).rejects.toThrow(/too old.*1\.30.*1\.40 to 1\.47/);
    const young = await engineThat({ ...good, ApiVersion: '2.1', MinAPIVersion: '2.0' });
    await expect(connectToEngine([young], options)).rejects.toThrow(/too new.*2\.0/);
  });

  it('that is nowhere is told with every socket that was tried', async () => {
    const addresses = ['a.sock', 'b.sock'].map(
      (name) => ({ kind: 'unix', path: join(folder, name) }) as const,
    );
    const failed = expect(connectToEngine(addresses, options)).rejects;
    await failed.toThrow(/a\.sock.*ENOENT.*b\.sock.*--engine or DOCKER_HOST/);
    await failed.toMatchObject({ code: 'ConnectionLost' });
  });

  it('and what is no engine is told as such', async () => {
    const other = await engineThat({ kind: 'Status' });
    await expect(connectToEngine([other], options)).rejects.toThrow(/no Docker Engine/);
  });
});

const never = new AbortController().signal;
const signIn = async (): Promise<string> => 'made-up-header';

function targetOf(api: RunTarget['api']): { target: RunTarget; waits: string[] } {
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

/** Has an engine pull, which tells these lines; what it came to. */
async function pulled(lines: readonly object[], status = 200) {
  const headers: unknown[] = [];
  let isThere = false;
  const address = await engineThat(good, ({ method, headers: sent }, response) => {
    if (method === 'GET') {
      response.statusCode = isThere ? 200 : 404;
      response.end(
        JSON.stringify(isThere ? { Id: 'x', Os: 'linux', Architecture: 'arm64' } : { message: 'none' }),
      );
      return;
    }
    headers.push(sent['x-registry-auth']);
    isThere = true;
    response.statusCode = status;
    response.end(lines.map((line) => `${JSON.stringify(line)}\r\n`).join(''));
  });
  await using engine = await connectToEngine([address], options);
  const { target, waits } = targetOf(engine.api);
  const request = { image: 'r.example/app:1', pull: 'missing', signIn, platform: 'linux/amd64' } as const;
  const ready = await readyImage(target, request, never);
  return { ready, headers, waits };
}

describe('an image', () => {
  it('is pulled with the credentials, its progress told, and an image for other machines named', async () => {
    const layer = { id: 'abcdef012345' };
    const { ready, headers, waits } = await pulled([
      { status: 'Pulling from app', id: '1' },
      { ...layer, status: 'Downloading', progressDetail: { current: 1e6, total: 2e6 } },
      { ...layer, status: 'Pull complete' },
    ]);
    expect(headers).toEqual(['made-up-header']);
    expect(waits[0]).toContain('r.example/app:1');
    expect(ready.misfit).toMatch(/linux\/arm64.*linux\/amd64/);
  });

  it.each([
    [[{ status: 'Pulling' }, { error: 'toomanyrequests: slow down' }], 200, /toomanyrequests: slow down/],
    [[{ message: 'manifest for app:1 not found: manifest unknown' }], 404, /manifest unknown/],
    [[{ message: 'pull access denied for app' }], 404, /access denied.*credentials for r\.example were used/],
  ])('that cannot be pulled is told in the registry’s words', async (lines, status, message) => {
    const failed = expect(pulled(lines, status)).rejects;
    await failed.toThrow(message);
    await failed.toMatchObject({ code: 'ImagePull' });
    await failed.not.toThrow(/cannot pull the image/);
    await failed.not.toThrow(/made-up-header/);
  });
});
