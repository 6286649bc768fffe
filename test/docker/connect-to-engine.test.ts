import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { connectToEngine } from '../../src/engine/connect-to-engine.ts';
import { readyImage } from '../../src/executor/docker/image.ts';
import { good, options, StandInEngines, targetOf } from './stand-in-engines.ts';

let engines: StandInEngines;
beforeEach(async () => {
  engines = await StandInEngines.open();
});
afterEach(() => engines[Symbol.asyncDispose]());

describe('an engine', () => {
  it('has done what it says is so already, as after an answer that was lost', async () => {
    const there = await engines.engineThat(good, (_, response) => {
      response.statusCode = 304;
      response.end();
    });
    await using engine = await connectToEngine([there], options);
    const call = { method: 'POST', path: '/containers/x/start', action: 'start it' } as const;
    await expect(engine.api.request(call, z.unknown())).resolves.toBeNull();
  });

  it('is the first that answers, spoken to in a version that both know', async () => {
    const asked: (string | undefined)[] = [];
    const there = await engines.engineThat({ ...good, ApiVersion: '1.99' }, ({ url }, response) => {
      asked.push(url);
      response.statusCode = 404;
      response.end('{"message":"No such image"}');
    });
    await using engine = await connectToEngine([engines.address('none.sock'), there], options);
    expect(engine).toMatchObject({ name: 'Docker Engine 27.0', platform: 'linux/amd64' });
    const { target } = targetOf(engine.api);
    await readyImage(target, { image: 'a/b:1', pull: 'never', signIn, platform: 'linux/amd64' }, never).catch(
      () => {},
    );
    expect(asked).toEqual(['/v1.47/images/a/b:1/json']);
  });

  it('that is too old, or too new, is told with its version and ours', async () => {
    const old = await engines.engineThat({ ...good, ApiVersion: '1.30' });
    await expect(connectToEngine([old], options)).rejects.toThrow(/too old.*1\.30.*1\.40 to 1\.47/);
    const young = await engines.engineThat({ ...good, ApiVersion: '2.1', MinAPIVersion: '2.0' });
    await expect(connectToEngine([young], options)).rejects.toThrow(/too new.*2\.0/);
  });

  it('that is nowhere is told with every socket that was tried', async () => {
    const addresses = ['a.sock', 'b.sock'].map((name) => engines.address(name));
    const failed = expect(connectToEngine(addresses, options)).rejects;
    await failed.toThrow(/a\.sock.*ENOENT.*b\.sock.*--engine or DOCKER_HOST/);
    await failed.toMatchObject({ code: 'ConnectionLost' });
  });

  it('and what is no engine is told as such', async () => {
    const other = await engines.engineThat({ kind: 'Status' });
    await expect(connectToEngine([other], options)).rejects.toThrow(/no Docker Engine/);
  });
});

const never = new AbortController().signal;
const signIn = async (): Promise<string> => 'made-up-header';

/** Has an engine pull, which tells these lines; what it came to. */
async function pulled(lines: readonly object[], status = 200) {
  const headers: unknown[] = [];
  let isThere = false;
  const address = await engines.engineThat(good, ({ method, headers: sent }, response) => {
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
