import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { WatchEvent } from '../../src/kube/kube-api.ts';
import { watchEvents } from '../../src/kube/watch-lines.ts';
import { type ApiServer, apiServer, json, type Seen, statusBody } from './fixtures/api-server.ts';
import { base64, connected, kubeconfig } from './fixtures/kubeconfig.ts';
import { type TempFolder, tempFolder } from './fixtures/temp-folder.ts';
import { type IssuedPair, type TestAuthority, testAuthority } from './fixtures/test-authority.ts';

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

async function all(events: AsyncIterable<WatchEvent>): Promise<WatchEvent[]> {
  const found: WatchEvent[] = [];
  for await (const event of events) found.push(event);
  return found;
}

describe('the lines of a watch', () => {
  const events = [
    { type: 'ADDED', object: { name: 'ü€😀' } },
    { type: 'BOOKMARK', object: {} },
    { type: 'ERROR', object: { kind: 'Status', code: 410 } },
  ];
  const text = `${events.map((event) => JSON.stringify(event)).join('\n')}\n`;

  it.each([1, 2, 3, 7, 1000])('are the same in pieces of %i bytes', async (size) => {
    expect(await all(watchEvents(inPieces(text, size)))).toEqual(events);
  });

  it('may be blank, and may end with CRLF', async () => {
    expect(await all(watchEvents(inPieces('\r\n\n{"type":"ADDED","object":1}\r\n \n', 4)))).toEqual([
      { type: 'ADDED', object: 1 },
    ]);
  });

  it.each([
    ['{"type":"ADDED","obj', 'ConnectionLost', 'cut off within an event'],
    ['nonsense\n', 'ApiRefused', 'not JSON'],
    ['[]\n', 'ApiRefused', 'no event'],
    ['{"type":"EXPLODED","object":{}}\n', 'ApiRefused', 'no event'],
    [`"${'x'.repeat(200)}`, 'ApiRefused', 'more than 100 bytes'],
    [`"${'x'.repeat(200)}"\n`, 'ApiRefused', 'more than 100 bytes'],
  ])('%j is %s', async (line, code, message) => {
    const error = await all(watchEvents(inPieces(line, 16), 100)).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: 'RunnerError', code });
    expect(error.message).toContain(message);
  });
});

describe('a watch', () => {
  const path = '/api/v1/namespaces/ci/pods';
  let folder: TempFolder;
  let authority: TestAuthority;
  let pair: IssuedPair;
  const closers: AsyncDisposable[] = [];
  beforeAll(async () => {
    folder = await tempFolder();
    authority = await testAuthority();
    pair = await authority.issue(['127.0.0.1']);
  });
  afterEach(async () => {
    for (const closer of closers.splice(0).reverse()) await closer[Symbol.asyncDispose]();
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  async function setUp(answer: (seen: Seen, response: ServerResponse) => void, token = 'a-token') {
    const server: ApiServer = await apiServer({ pair, answer });
    const cluster = {
      server: `https://127.0.0.1:${server.port}`,
      'certificate-authority-data': base64(authority.pem),
    };
    await folder.write('token', token);
    const file = await folder.write('kc', kubeconfig(cluster, { tokenFile: 'token' }));
    const { api } = await connected(file);
    closers.push(server, api);
    const stop = new AbortController();
    const query = { fieldSelector: 'metadata.name=a' };
    return { server, stop, events: api.watch({ path, query, signal: stop.signal }) };
  }
  const line = '{"type":"ADDED","object":{"a":1}}\n';

  it('gives events as they come, and ends when the server ends it', async () => {
    const { server, events } = await setUp((_seen, response) => {
      response.write(line);
      setImmediate(() => response.end(line));
    });
    expect(await all(events)).toHaveLength(2);
    expect(server.seen[0]?.url).toBe(`${path}?fieldSelector=metadata.name%3Da&watch=1`);
  });

  it('throws where it breaks, after what had come', async () => {
    const { events } = await setUp((_seen, response) => {
      response.write(line, () => response.destroy());
    });
    const seen: WatchEvent[] = [];
    const reading = (async () => {
      for await (const event of events) seen.push(event);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'ConnectionLost', retry: true });
    expect(seen).toHaveLength(1);
  });

  it('ends quietly when it is aborted: before, while it is opened, while it is silent', async () => {
    const { server, events, stop } = await setUp((_seen, response) => {
      response.write(line);
    });
    const iterator = events[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toMatchObject({ type: 'ADDED' });
    const next = iterator.next();
    stop.abort(new Error('enough'));
    expect(await next).toEqual({ done: true, value: undefined });

    const opening = await setUp(() => {});
    const pending = all(opening.events);
    await expect.poll(() => opening.server.seen.length).toBe(1);
    opening.stop.abort();
    expect(await pending).toEqual([]);

    const never = await setUp(() => {});
    never.stop.abort();
    expect(await all(never.events)).toEqual([]);
    expect(never.server.seen).toEqual([]);
    expect(server.seen).toHaveLength(1);
  });

  it('lets go of the connection when the reader stops', async () => {
    let closed = false;
    const { events } = await setUp((_seen, response) => {
      response.on('close', () => {
        closed = true;
      });
      response.write(line);
    });
    for await (const _ of events) break;
    await expect.poll(() => closed).toBe(true);
  });

  it('that is refused throws, after trying newer credentials', async () => {
    const { server, events } = await setUp((seen, response) => {
      if (seen.headers.authorization === 'Bearer new') response.end(line);
      else {
        void folder.write('token', 'new').then(() => json(response, 401, {}));
      }
    }, 'old');
    expect(await all(events)).toHaveLength(1);
    expect(server.seen).toHaveLength(2);
    const forbidden = await setUp((_seen, response) =>
      json(response, 403, statusBody(403, 'Forbidden', 'no')),
    );
    await expect(all(forbidden.events)).rejects.toThrow(/forbids to watch pods in the namespace ci: no/);
  });
});
