import { once } from 'node:events';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createServer } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import type { ExecSession } from '../../src/base/exec-session.ts';
import type { ClusterConnectionOptions } from '../../src/kube/connect-to-cluster.ts';
import { execExitOf } from '../../src/kube/exec-status.ts';
import {
  type ApiServer,
  type ApiServerOptions,
  addressOf,
  apiServer,
  refuseWith,
  type Seen,
  statusBody,
} from './fixtures/api-server.ts';
import { connectProxy } from './fixtures/connect-proxy.ts';
import { base64, connected, kubeconfig } from './fixtures/kubeconfig.ts';
import { manualClock } from './fixtures/manual-clock.ts';
import { type TempFolder, tempFolder } from './fixtures/temp-folder.ts';
import { type IssuedPair, type TestAuthority, testAuthority } from './fixtures/test-authority.ts';

const token = 'the-token-that-nobody-may-see';
const success = '{"metadata":{},"status":"Success"}';
const exited = (code: string) =>
  JSON.stringify({
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: `command terminated with exit code ${code}`,
    details: { causes: [{ reason: 'ExitCode', message: code }] },
  });

let folder: TempFolder;
let authority: TestAuthority;
let pair: IssuedPair;
const closers: AsyncDisposable[] = [];
const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): void => {
  unhandled.push(reason);
};

beforeAll(async () => {
  process.on('unhandledRejection', onUnhandled);
  folder = await tempFolder();
  authority = await testAuthority();
  pair = await authority.issue(['127.0.0.1', 'k8s.example.test']);
});
afterEach(async () => {
  for (const closer of closers.splice(0).reverse()) await closer[Symbol.asyncDispose]();
  expect(unhandled.splice(0)).toEqual([]);
});
afterAll(async () => {
  process.off('unhandledRejection', onUnhandled);
  await folder[Symbol.asyncDispose]();
});

interface Setup {
  readonly server: ApiServer;
  open(signal?: AbortSignal, timeoutMs?: number): Promise<ExecSession>;
}

async function setUp(
  exec: (socket: WebSocket, seen: Seen) => void,
  more: Partial<ApiServerOptions> = {},
  options: Partial<ClusterConnectionOptions> & { user?: object } = {},
): Promise<Setup> {
  const server = await apiServer({ pair, exec, ...more });
  const cluster = {
    server: `https://127.0.0.1:${server.port}`,
    'certificate-authority-data': base64(authority.pem),
  };
  const { user = { token }, ...rest } = options;
  const { api } = await connected(await folder.write(`kc-${server.port}`, kubeconfig(cluster, user)), rest);
  closers.push(server, api);
  return {
    server,
    open: (signal = new AbortController().signal, timeoutMs) =>
      api.exec({
        namespace: 'ci',
        pod: 'run-1',
        container: 'run',
        command: ['sh', '-c', 'echo a b'],
        signal,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      }),
  };
}

const frame = (channel: number, text: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);

async function textOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function outcome(session: ExecSession) {
  const [stdout, stderr] = await Promise.all([textOf(session.stdout), textOf(session.stderr)]);
  const exit = await session.exit.catch((error) => error);
  return { stdout, stderr, exit };
}

async function failure(promise: Promise<unknown>) {
  const error = await promise.then(
    () => new Error('no failure'),
    (thrown) => thrown,
  );
  expect(String(error?.stack)).not.toContain(token);
  return error;
}

describe('an exec', () => {
  it('asks for the command with all streams, and gives outputs and exit code', async () => {
    const { server, open } = await setUp((socket) => {
      socket.send(frame(1, 'out '));
      socket.send(frame(2, 'err'));
      socket.send(frame(1, 'put'));
      socket.send(frame(3, exited('42')));
      socket.close(1000);
    });
    const session = await open();
    expect(await outcome(session)).toEqual({ stdout: 'out put', stderr: 'err', exit: { exitCode: 42 } });
    expect(server.seen[0]?.url).toBe(
      '/api/v1/namespaces/ci/pods/run-1/exec?container=run&command=sh&command=-c&command=echo+a+b&stdin=true&stdout=true&stderr=true',
    );
    expect(server.seen[0]?.headers).toMatchObject({
      authorization: `Bearer ${token}`,
      'sec-websocket-protocol': 'v5.channel.k8s.io,v4.channel.k8s.io',
    });
  });

  it('ends stdin alone on v5', async () => {
    const { open } = await setUp((socket) => {
      let text = '';
      socket.on('message', (data: Buffer) => {
        if (data[0] === 255) {
          expect([...data]).toEqual([255, 0]);
          socket.send(frame(1, text.toUpperCase()));
          socket.send(frame(3, success));
          socket.close(1000);
        } else text += data.subarray(1).toString();
      });
    });
    const session = await open();
    expect(session.canEndStdin).toBe(true);
    session.stdin.write('hello ');
    session.stdin.end('world');
    expect(await outcome(session)).toEqual({ stdout: 'HELLO WORLD', stderr: '', exit: { exitCode: 0 } });
  });

  it('on v4 cannot end stdin, says so, and still gives the status', async () => {
    const got: number[][] = [];
    const { open } = await setUp(
      (socket) => {
        socket.on('message', (data: Buffer) => {
          got.push([...data]);
          socket.send(frame(3, success));
          socket.close(1000);
        });
      },
      { protocols: ['v4.channel.k8s.io'] },
    );
    const session = await open();
    expect(session.canEndStdin).toBe(false);
    session.stdin.end('x');
    await once(session.stdin, 'finish');
    expect((await outcome(session)).exit).toEqual({ exitCode: 0 });
    expect(got).toEqual([[0, 120]]);
  });

  it('cuts what goes up into frames of a bounded size, in order', async () => {
    const sizes: number[] = [];
    let sum = 0;
    const { open } = await setUp((socket) => {
      socket.on('message', (data: Buffer) => {
        if (data[0] === 255) {
          socket.send(frame(3, success));
          socket.close(1000);
          return;
        }
        sizes.push(data.length);
        for (const byte of data.subarray(1)) sum = (sum * 31 + byte) % 1_000_003;
      });
    });
    const bytes = Buffer.from(Array.from({ length: 1_000_000 }, (_, i) => (i * 7) % 251));
    let expected = 0;
    for (const byte of bytes) expected = (expected * 31 + byte) % 1_000_003;
    const session = await open();
    session.stdin.end(bytes);
    expect((await outcome(session)).exit).toEqual({ exitCode: 0 });
    expect(Math.max(...sizes)).toBe(256 * 1024 + 1);
    expect(sum).toBe(expected);
  });

  it('settles only after both outputs have been read', async () => {
    const { open } = await setUp((socket) => {
      socket.send(frame(3, success));
      socket.send(frame(1, 'late'));
      socket.close(1000);
    });
    const session = await open();
    let settled = false;
    void session.exit.then(() => {
      settled = true;
    });
    session.stderr.resume();
    await once(session.stderr, 'end');
    expect(settled).toBe(false);
    expect(await textOf(session.stdout)).toBe('late');
    expect(await session.exit).toEqual({ exitCode: 0 });
  });

  it.each([
    ['a close without a status', (socket: WebSocket) => socket.close(1000)],
    ['a broken connection', (socket: WebSocket) => socket.terminate()],
    [
      'a status without a proper close: more may have been on the way',
      (socket: WebSocket) => socket.send(frame(3, success), () => socket.terminate()),
    ],
    [
      'a status that is no JSON',
      (socket: WebSocket) => {
        socket.send(frame(3, '{"status": Suc'));
        socket.close(1000);
      },
    ],
  ])('is lost by %s, after what had come', async (_name, end) => {
    const { open } = await setUp((socket) => {
      socket.send(frame(1, 'half'), () => end(socket));
    });
    const session = await open();
    const { stdout, exit } = await outcome(session);
    expect(stdout).toBe('half');
    expect(exit).toMatchObject({ name: 'RunnerError', code: 'ConnectionLost', retry: true });
    expect(session.stdin.destroyed).toBe(true);
  });

  it('takes a message of any length, in one piece or many', async () => {
    const long = 'abcdefgh'.repeat(1_250_000);
    const { open } = await setUp((socket) => {
      socket.send(frame(1, long));
      socket.send(frame(1, 'in '), { fin: false });
      socket.send('pie', { fin: false });
      socket.send('ces');
      socket.send(frame(3, success));
      socket.close(1000);
    });
    const session = await open();
    expect(await outcome(session)).toEqual({ stdout: `${long}in pieces`, stderr: '', exit: { exitCode: 0 } });
  });

  it('survives what no server should send', async () => {
    const { open } = await setUp((socket) => {
      for (const data of [
        '',
        'text',
        '\u0001as text',
        Buffer.alloc(0),
        frame(9, 'x'),
        frame(255, '\u0001'),
        frame(0, 'x'),
      ]) {
        socket.send(data);
      }
      socket.send(frame(1, ''));
      socket.send(frame(3, ''));
      socket.send(frame(1, 'fine'));
      socket.send(frame(3, success.slice(0, 10)));
      socket.send(frame(3, success.slice(10)));
      socket.close(1000);
    });
    const result = await outcome(await open());
    expect(result).toEqual({ stdout: 'as textfine', stderr: '', exit: { exitCode: 0 } });
  });

  it('stays whole when a program ends without reading its stdin', async () => {
    const { open } = await setUp((socket) => {
      socket.once('message', () => {
        socket.send(frame(3, exited('1')));
        socket.close(1000);
      });
    });
    const session = await open();
    const endless = new Readable({ read: () => endless.push(Buffer.alloc(65536)) });
    const writing = pipeline(endless, session.stdin).catch((error) => error);
    expect((await outcome(session)).exit).toEqual({ exitCode: 1 });
    expect(await writing).toBeInstanceOf(Error);
  });

  it('sends pings while it is open, and none later', async () => {
    const clock = manualClock(new Date(), true);
    let pings = 0;
    const { open } = await setUp(
      (socket) => {
        socket.on('ping', () => {
          pings += 1;
          if (pings === 3) {
            socket.send(frame(3, success));
            socket.close(1000);
          }
        });
      },
      {},
      { clock },
    );
    const result = outcome(await open());
    for (const expected of [1, 2, 3]) {
      await expect.poll(() => clock.slept.filter((ms) => ms === 15_000).length).toBe(expected);
      clock.advance(15_000);
      await expect.poll(() => pings).toBe(expected);
    }
    expect((await result).exit).toEqual({ exitCode: 0 });
  });

  it('takes the way through the proxy', async () => {
    const server = await apiServer({
      pair,
      exec: (socket) => {
        socket.send(frame(3, success));
        socket.close(1000);
      },
    });
    const proxy = await connectProxy({ port: server.port });
    const cluster = {
      server: 'https://k8s.example.test:6443',
      'certificate-authority-data': base64(authority.pem),
      'proxy-url': `http://127.0.0.1:${proxy.port}`,
    };
    const { api } = await connected(await folder.write('kc-proxy', kubeconfig(cluster, { token })));
    closers.push(server, proxy, api);
    const { signal } = new AbortController();
    const call = { namespace: 'ci', pod: 'p', container: 'run', command: ['true'], signal };
    expect((await outcome(await api.exec(call))).exit).toEqual({ exitCode: 0 });
    expect(proxy.asked).toEqual(['k8s.example.test:6443']);
  });
});

describe('letting go of an exec', () => {
  it('by close() ends it at once: nobody takes the outputs for whole', async () => {
    const { open } = await setUp((socket) => socket.send(frame(1, 'half')));
    const session = await open();
    const reading = failure(textOf(session.stdout));
    session.close();
    session.close();
    expect(await reading).toMatchObject({ code: 'ConnectionLost' });
    expect(await failure(session.exit)).toMatchObject({ code: 'ConnectionLost' });
  });

  it('by the signal gives its reason', async () => {
    const { open, server } = await setUp(() => {});
    const stop = new AbortController();
    const session = await open(stop.signal);
    const reason = new Error('enough');
    stop.abort(reason);
    expect(await failure(session.exit)).toBe(reason);
    expect(server.seen).toHaveLength(1);
  });

  it('after its end does nothing', async () => {
    const { open } = await setUp((socket) => {
      socket.send(frame(3, success));
      socket.close(1000);
    });
    const stop = new AbortController();
    const session = await open(stop.signal);
    await outcome(session);
    session.close();
    stop.abort();
    await session[Symbol.asyncDispose]();
    expect(await session.exit).toEqual({ exitCode: 0 });
  });

  it('that nobody reads or waits for is safe', async () => {
    const { open } = await setUp((socket) => {
      socket.send(frame(1, 'x'), () => socket.terminate());
    });
    const session = await open();
    await expect.poll(() => session.stdin.destroyed).toBe(true);
    session.close();
  });
});

describe('an exec that cannot be opened', () => {
  const refusing = (status: number, body: unknown, headers: readonly string[] = []) =>
    setUp(() => {}, {
      refuseUpgrade: (_seen, socket) => {
        refuseWith(socket, status, body, headers);
        return true;
      },
    });

  it.each([
    [404, statusBody(404, 'NotFound', 'container not found ("run")'), 'NotFound', true],
    [404, statusBody(404, 'NotFound', 'pods "run-1" not found'), 'NotFound', false],
    [400, statusBody(400, 'BadRequest', 'pod run-1 does not have a host assigned'), 'ApiRefused', true],
    [400, statusBody(400, 'BadRequest', 'container x is not valid for pod run-1'), 'ApiRefused', false],
    [
      500,
      statusBody(500, 'InternalError', 'unable to upgrade connection: container not found ("run")'),
      'ApiRefused',
      true,
    ],
    [503, 'no backend', 'Throttled', true],
    [429, statusBody(429, 'TooManyRequests', 'busy'), 'Throttled', true],
    [200, 'hello', 'ApiRefused', false],
    [302, 'moved', 'ApiRefused', false],
  ])('because of %i %j is %s, retry %s', async (status, body, code, retry) => {
    const { open } = await refusing(status, body);
    const error = await failure(open());
    expect(error).toMatchObject({ code, retry });
    expect(error.message).toContain(typeof body === 'string' ? body : Object(body).message);
    expect(error.message).toMatch(/exec in the pod run-1/);
  });

  it('for want of rights names them', async () => {
    const { open } = await refusing(403, statusBody(403, 'Forbidden', 'User "u" cannot create'));
    const error = await failure(open());
    expect(error.code).toBe('Forbidden');
    expect(error.message).toMatch(
      /forbids to exec in the pod run-1 \(it takes get and create pods\/exec in the namespace ci\): User "u" cannot create/,
    );
  });

  it('leaves the connection to the request that follows', async () => {
    // Node's own server gives up a connection once it was asked to upgrade; Kubernetes' does not.
    let asked = 0;
    const server = createServer({ cert: pair.certificate, key: pair.key }, (socket) => {
      socket.on('error', () => {});
      socket.on('data', (request) => {
        asked += 1;
        const upgrade = request.toString().includes('Upgrade: websocket');
        const text = JSON.stringify(upgrade ? statusBody(403, 'Forbidden', 'no') : {});
        const head = upgrade ? '403 Forbidden' : '200 OK';
        socket.write(`HTTP/1.1 ${head}\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const cluster = {
      server: `https://127.0.0.1:${addressOf(server.address()).port}`,
      'certificate-authority-data': base64(authority.pem),
    };
    const { api } = await connected(await folder.write('kc-kept', kubeconfig(cluster)));
    closers.push({ [Symbol.asyncDispose]: async () => void server.close() }, api);
    const { signal } = new AbortController();
    const call = { namespace: 'ci', pod: 'p', container: 'run', command: ['true'], signal };
    const get = () => api.request({ method: 'GET', path: '/version' }, z.unknown());
    await Promise.all([get(), get()]); // of two idle connections Node takes the last, be it destroyed or not
    expect(await failure(api.exec(call))).toMatchObject({ code: 'Forbidden' });
    expect(await get()).toEqual({});
    expect(asked).toBe(4);
  });

  it('tells how long to wait', async () => {
    const { open } = await refusing(429, {}, ['Retry-After: 4']);
    expect((await failure(open())).retryAfterMs).toBe(4000);
  });

  it('with old credentials is tried once more with newer ones', async () => {
    await folder.write('token', 'old-token');
    const { open, server } = await setUp(
      (socket) => {
        socket.send(frame(3, success));
        socket.close(1000);
      },
      {
        refuseUpgrade: (seen, socket) => {
          if (seen.headers.authorization === 'Bearer new-token') return false;
          void folder.write('token', 'new-token').then(() => refuseWith(socket, 401, {}));
          return true;
        },
      },
      { user: { tokenFile: 'token' } },
    );
    expect((await outcome(await open())).exit).toEqual({ exitCode: 0 });
    expect(server.seen).toHaveLength(2);
  });

  it.each([
    ['closes the connection', (socket: Writable) => socket.destroy()],
    ['answers nonsense', (socket: Writable) => socket.end('nonsense\r\n\r\n')],
    [
      'offers no sub-protocol',
      (socket: Writable) =>
        socket.end('HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n'),
    ],
  ])('because the server %s is a lost connection', async (_name, answer) => {
    const { open } = await setUp(() => {}, {
      refuseUpgrade: (_seen, socket) => {
        answer(socket);
        return true;
      },
    });
    expect(await failure(open())).toMatchObject({ code: 'ConnectionLost' });
  });

  it('because the server says nothing is ended by its deadline, or the signal', async () => {
    const { open, server } = await setUp(() => {}, { refuseUpgrade: () => true });
    expect(await failure(open(undefined, 50))).toMatchObject({
      code: 'ConnectionLost',
      retry: true,
      message: 'the answer to exec in the pod run-1 did not come within 0.1 s',
    });
    const stop = new AbortController();
    const pending = failure(open(stop.signal));
    await expect.poll(() => server.seen.length).toBe(2);
    const reason = new Error('enough');
    stop.abort(reason);
    expect(await pending).toBe(reason);
    const early = new AbortController();
    early.abort(reason);
    expect(await failure(open(early.signal))).toBe(reason);
  });

  it('because its refusal never ends is ended by its deadline', async () => {
    const { open } = await setUp(() => {}, {
      refuseUpgrade: (_seen, socket) => {
        socket.write('HTTP/1.1 500 Refused\r\nContent-Length: 100\r\n\r\nhalf');
        return true;
      },
    });
    expect(await failure(open(undefined, 100))).toMatchObject({ code: 'ConnectionLost', retry: true });
  });

  it('because nobody listens is a lost connection', async () => {
    const { open, server } = await setUp(() => {});
    await server[Symbol.asyncDispose]();
    expect(await failure(open())).toMatchObject({ code: 'ConnectionLost', retry: true });
  });
});

describe('the status of an exec', () => {
  const asked = { server: 'https://a', action: 'exec in the pod p', method: 'GET' };
  it.each(['1', '2', '42', '125', '126', '127', '128', '130', '137', '143', '255'])(
    'keeps exit code %s',
    (code) => {
      expect(execExitOf(exited(code), asked)).toEqual({ exitCode: Number(code) });
    },
  );

  it.each(['0', '-1', '1.5', 'x', '', '99999999999'])('never makes a code of "%s"', (code) => {
    expect(() => execExitOf(exited(code), asked)).toThrow(/command terminated with exit code/);
  });

  const failed = (message: string) =>
    JSON.stringify({ status: 'Failure', reason: 'InternalError', message, code: 500 });

  it.each([
    ['OCI runtime exec failed: exec: "x": executable file not found in $PATH', 'ApiRefused', false],
    ['unable to upgrade connection: container not found ("run")', 'ApiRefused', true],
    ['error dialing backend: dial tcp 10.0.0.1:10250: connect: connection refused', 'ApiRefused', true],
    ['unexpected EOF', 'ConnectionLost', true],
    ['read tcp 10.0.0.1:1->10.0.0.2:10250: connection reset by peer', 'ConnectionLost', true],
  ])('"%s" is %s, retry %s', (message, code, retry) => {
    const read = () => execExitOf(failed(message), asked);
    expect(read).toThrow(message);
    expect(read).toThrow(expect.objectContaining({ code, retry }));
  });

  it.each(['', 'null', '[]', '{}', '{"status":1}', '{"status":"Maybe"}'])('%j tells nothing', (text) => {
    expect(() => execExitOf(text, asked)).toThrow(expect.objectContaining({ code: 'ConnectionLost' }));
  });
});

describe('memory', () => {
  const total = 200 * 1024 * 1024;
  const piece = Buffer.alloc(32 * 1024, 'x');

  it('is flat while 200 MB wait for a reader that stands still', async () => {
    let sent = 0;
    const { open } = await setUp((socket) => {
      const more = (): void => {
        while (sent < total && socket.bufferedAmount < 1024 * 1024) {
          sent += piece.length;
          socket.send(frame(1, piece), more);
        }
        if (sent >= total && socket.readyState === socket.OPEN) {
          socket.send(frame(3, success));
          socket.close(1000);
        }
      };
      more();
    });
    const before = process.memoryUsage().rss;
    const session = await open();
    session.stderr.resume();
    await once(session.stdout, 'readable');
    let last = -1;
    await expect
      .poll(
        () => {
          const still = sent === last;
          last = sent;
          return still;
        },
        { interval: 200, timeout: 20_000 },
      )
      .toBe(true);
    expect(sent).toBeLessThan(total / 4);
    let got = 0;
    let peak = 0;
    for await (const chunk of session.stdout) {
      got += chunk.length;
      peak = Math.max(peak, process.memoryUsage().rss);
    }
    expect(got).toBe(total);
    expect(await session.exit).toEqual({ exitCode: 0 });
    expect(peak - before).toBeLessThan(120 * 1024 * 1024);
  });

  it('is flat while 200 MB go up to a server that stands still', async () => {
    let held: WebSocket | undefined;
    let got = 0;
    const { open } = await setUp((socket) => {
      held = socket;
      socket.pause();
      socket.on('message', (data: Buffer) => {
        got += data.length - 1;
        if (data[0] === 255) {
          got -= 1;
          socket.send(frame(3, success));
          socket.close(1000);
        }
      });
    });
    const before = process.memoryUsage().rss;
    const session = await open();
    let written = 0;
    let peak = 0;
    const source = new Readable({
      read() {
        written += piece.length;
        peak = Math.max(peak, process.memoryUsage().rss);
        this.push(written > total ? null : piece);
      },
    });
    const writing = pipeline(source, session.stdin);
    let last = -1;
    await expect
      .poll(
        () => {
          const still = written === last;
          last = written;
          return still;
        },
        { interval: 200, timeout: 20_000 },
      )
      .toBe(true);
    expect(written).toBeLessThan(total / 4);
    held?.resume();
    await writing;
    expect((await outcome(session)).exit).toEqual({ exitCode: 0 });
    expect(got).toBe(total);
    expect(peak - before).toBeLessThan(120 * 1024 * 1024);
  });
});
