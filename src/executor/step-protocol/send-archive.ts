import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { asRunnerError, messageOf, RunnerError } from '../../base/errors.ts';
import type { ExecSession } from '../../base/exec-session.ts';
import type { OutgoingArchive, TransferObserver } from '../executor.ts';
import { linesOf, Tail } from './lines.ts';
import type { LinkRate } from './link-rate.ts';
import type { Packing } from './packing.ts';
import { openPatiently, type ReachedPort } from './pod-port.ts';
import { SilenceWatch, silenceMs, withoutBeats } from './silence.ts';

const attempts = 4;
/** While there is more to send, how long the road may take none of it although the pod gives signs of life. */
const stallMs = 60_000;
/** tar says in its own words what is wrong; so many lines of it are kept. */
const mostWords = 20;

export interface SendOptions {
  readonly link: LinkRate;
  /** Whether a part of an earlier upload may be there. */
  readonly isUsed: boolean;
}

/**
 * Sends an archive to be unpacked at `/`. Done only when the pod has seen the archive's last entry and its tar
 * ended with 0. A broken connection starts it over on a clean tree; what tar or the checkout refuses does not.
 */
export async function sendArchive(
  port: ReachedPort,
  archive: OutgoingArchive,
  { link, isUsed }: SendOptions,
  transfer: TransferObserver,
  signal: AbortSignal,
): Promise<void> {
  let again = isUsed;
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptToSend(port, archive, link, transfer, signal, again);
    } catch (thrown) {
      signal.throwIfAborted();
      again = true;
      if (thrown instanceof SlowLink) {
        port.trace('the link is slow: the upload starts over, compressed');
        attempt--;
        continue;
      }
      const error = asRunnerError(thrown, 'ConnectionLost');
      if (!error.retry || attempt === attempts) throw error;
      port.trace(`the upload broke, starting it over: ${error.message}`);
    }
  }
}

async function attemptToSend(
  port: ReachedPort,
  archive: OutgoingArchive,
  link: LinkRate,
  transfer: TransferObserver,
  parent: AbortSignal,
  again: boolean,
): Promise<void> {
  const nonce = port.nonce();
  const lastEntry = { name: `.knotless/received-${nonce}`, content: `${nonce}\n` };
  const over = new AbortController();
  const signal = AbortSignal.any([parent, over.signal]);
  const total = await archive.size(lastEntry);
  const session = await openPatiently(port, 'receive', signal);
  const drop = (why: string): void => {
    port.trace(`the upload: ${why}, dropping the connection`);
    session.close();
  };
  using silence = new SilenceWatch(port.clock, silenceMs, () =>
    drop(`no sign of life for ${silenceMs / 1000} s`),
  );
  try {
    const packed = session.canEndStdin ? link.packing(total) : 'none'; // only a size known ahead ends it there
    const stderr = new Tail(session.stderr, 4096, () => silence.heard());
    session.stdin.write(`${nonce} ${packed} ${session.canEndStdin ? '-' : total} ${again ? 'yes' : 'no'}\n`);
    const answer = answerOf(session, nonce, stderr);
    using stall = new SilenceWatch(port.clock, stallMs, () =>
      drop(`no byte was taken for ${stallMs / 1000} s`),
    );
    const metered = meter(total, transfer, (bytes) => {
      stall.heard();
      return packed === 'none' && session.canEndStdin && link.taken(bytes, total);
    });
    const sent = pump(readable(archive.open(lastEntry)), metered, packed, session, signal)
      .catch((error: unknown) => sendingFailed(error, answer))
      .finally(() => stall[Symbol.dispose]());
    await Promise.race([answer, sent.then(() => answer)]);
    await sent;
    const words = await answer;
    if (words !== '') port.warn(`upload: ${words}`);
  } finally {
    over.abort(new Error('the upload is over'));
    session.close();
  }
}

/** An error of the checkout goes through as it is; one of the road gives way to what the pod said. */
async function sendingFailed(error: unknown, answer: Promise<string>): Promise<void> {
  if (error instanceof SlowLink) throw error;
  if (error instanceof LocalTrouble) throw asRunnerError(error.cause, 'UploadFailed');
  await answer;
  throw new RunnerError('ConnectionLost', `the upload broke: ${messageOf(error)}`, {
    cause: error,
    retry: true,
  });
}

class LocalTrouble extends Error {}

/** Not worth going on uncompressed. */
class SlowLink extends Error {}

async function* readable(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    throw new LocalTrouble('the archive could not be made', { cause: error });
  }
}

async function pump(
  bytes: AsyncIterable<Uint8Array>,
  metered: Transform,
  packing: Packing,
  session: ExecSession,
  signal: AbortSignal,
): Promise<void> {
  const source = Readable.from(bytes, { objectMode: false, highWaterMark: 1 << 20 });
  if (packing === 'gzip')
    await pipeline(source, metered, createGzip({ level: 1 }), session.stdin, { signal });
  else await pipeline(source, metered, session.stdin, { signal });
}

function meter(total: number, transfer: TransferObserver, isTooSlow: (bytes: number) => boolean): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      transfer.progress(bytes, total);
      if (isTooSlow(bytes)) done(new SlowLink());
      else done(null, chunk);
    },
  });
}

/** Resolves to what tar had to say although it unpacked all; rejects with its words if it did not. */
async function answerOf(session: ExecSession, nonce: string, stderr: Tail): Promise<string> {
  const words: string[] = [];
  for await (const line of linesOf(session.stdout)) {
    const [word, code, seen] = line.split(' ');
    if (word !== 'received') {
      if (line !== '' && words.length < mostWords) words.push(line);
      continue;
    }
    if (code === '0' && seen === nonce) return words.join('; ');
    const why = code === '0' ? 'it ended before the archive did' : `it ended with ${code}`;
    const said = words.join('; ') || withoutBeats(stderr.text()) || 'it said nothing';
    throw new RunnerError(
      'UploadFailed',
      `the checkout could not be unpacked in the pod: tar: ${why}: ${said}`,
    );
  }
  await session.exit;
  throw new RunnerError(
    'ConnectionLost',
    `the upload ended without an answer: ${withoutBeats(stderr.text())}`,
    {
      retry: true,
    },
  );
}
