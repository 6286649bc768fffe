import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RunnerError } from '../../src/base/errors.ts';
import type { ExecSession } from '../../src/base/exec-session.ts';
import { seededRandom } from '../run/support/seeded-random.ts';
import { type ApiServer, apiServer, type Seen } from './fixtures/api-server.ts';
import { base64, connected, kubeconfig } from './fixtures/kubeconfig.ts';
import { mutatedBytes } from './fixtures/mutated-bytes.ts';
import { serverFrame } from './fixtures/server-frame.ts';
import { type TempFolder, tempFolder } from './fixtures/temp-folder.ts';
import { testAuthority } from './fixtures/test-authority.ts';

const random = seededRandom(20_261_201);
const rounds = 400;
const patienceMs = 5_000;
const success = '{"metadata":{},"status":"Success"}';
const exited = (code: number): string =>
  JSON.stringify({
    status: 'Failure',
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: `${code}` }] },
  });

let folder: TempFolder;
let server: ApiServer;
let open: () => Promise<ExecSession>;
/** What the server sends behind its handshake, and then ends the connection. */
let sent: Buffer = Buffer.alloc(0);
const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): void => void unhandled.push(reason);

beforeAll(async () => {
  process.on('unhandledRejection', onUnhandled);
  folder = await tempFolder();
  const authority = await testAuthority();
  const pair = await authority.issue(['127.0.0.1']);
  server = await apiServer({ pair, refuseUpgrade: answer });
  const cluster = {
    server: `https://127.0.0.1:${server.port}`,
    'certificate-authority-data': base64(authority.pem),
  };
  const { api } = await connected(await folder.write('config', kubeconfig(cluster, { token: 'a-token' })));
  const { signal } = new AbortController();
  open = () => api.exec({ namespace: 'ci', pod: 'p', container: 'run', command: ['true'], signal });
});
afterAll(async () => {
  process.off('unhandledRejection', onUnhandled);
  await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** A handshake by hand, so that any byte can follow it. */
function answer(seen: Seen, socket: Duplex): true {
  const key = seen.headers['sec-websocket-key'] ?? '';
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
      `Sec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: v5.channel.k8s.io\r\n\r\n`,
  );
  socket.on('data', () => {});
  socket.end(sent);
  setTimeout(() => socket.destroy(), 1_000).unref();
  return true;
}

const onChannel = (channel: number, text: string): Buffer =>
  serverFrame(2, Buffer.concat([Buffer.from([channel]), Buffer.from(text)]));

interface Script {
  readonly bytes: Buffer;
  readonly stdout: string;
  readonly exitCode: number;
}

function script(): Script {
  const exitCode = random(3) === 0 ? 1 + random(255) : 0;
  const frames: Buffer[] = [];
  let stdout = '';
  for (let count = random(6); count > 0; count--) {
    const text = 'some output '.repeat(random(30));
    const channel = 1 + random(2);
    if (channel === 1) stdout += text;
    frames.push(onChannel(channel, text));
    if (random(4) === 0) frames.push(serverFrame(9, Buffer.from('ping')));
  }
  frames.push(
    onChannel(3, exitCode === 0 ? success : exited(exitCode)),
    serverFrame(8, Buffer.from([0x03, 0xe8])),
  );
  return { bytes: Buffer.concat(frames), stdout, exitCode };
}

/** How it ended: an exit code, or the error; everything within the patience. */
async function outcome(): Promise<{ stdout: Buffer; end: number | RunnerError }> {
  const late = AbortSignal.timeout(patienceMs);
  const tooLate = new Promise<never>((_, reject) => {
    late.addEventListener('abort', () => reject(new Error('the exec did not end')));
  });
  const session = await open();
  const read = async (stream: ExecSession['stdout']): Promise<Buffer> =>
    buffer(stream).catch(() => Buffer.alloc(0));
  const all = Promise.all([
    read(session.stdout),
    read(session.stderr),
    session.exit.then(
      ({ exitCode }) => exitCode,
      (error: unknown) => {
        expect(error).toBeInstanceOf(RunnerError);
        return error instanceof RunnerError ? error : new RunnerError('Internal', 'never');
      },
    ),
  ]);
  const [stdout, , end] = await Promise.race([all, tooLate]);
  return { stdout, end };
}

it('bytes of a live exec that were changed, cut or doubled never hang it, crash it or make up an exit code', async () => {
  let codes = 0;
  for (let round = 0; round < rounds; round++) {
    const { bytes, stdout, exitCode } = script();
    const isWhole = round % 8 === 0;
    sent = isWhole ? bytes : mutatedBytes(bytes, random);
    const ended = await outcome();
    if (isWhole) {
      expect(ended).toEqual({ stdout: Buffer.from(stdout), end: exitCode });
    } else if (typeof ended.end === 'number') {
      codes++;
      const words = ended.end === 0 ? '"Success"' : `"${ended.end}"`;
      expect(sent.includes(words), `${ended.end} was never sent`).toBe(true);
    }
  }
  expect(codes).toBeGreaterThan(0); // some changes are to the output alone
  expect(unhandled).toEqual([]);
}, 60_000);

it.each([
  ['masked', Buffer.from([0x82, 0x81, 0, 0, 0, 0, 1])],
  ['of an unknown kind', Buffer.from([0x83, 0x01, 1])],
  ['longer than any can be', Buffer.from([0x82, 127, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])],
])('a frame that is %s loses the exec, after what had come, whatever follows it', async (_name, broken) => {
  const end = [onChannel(3, success), serverFrame(8, Buffer.from([0x03, 0xe8]))];
  sent = Buffer.concat([onChannel(1, 'half'), broken, ...end]);
  const ended = await outcome();
  expect(ended.stdout.toString()).toBe('half');
  expect(ended.end).toMatchObject({ code: 'ConnectionLost', retry: true });
});
