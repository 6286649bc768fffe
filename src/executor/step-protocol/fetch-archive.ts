import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { asRunnerError, RunnerError } from '../../base/errors.ts';
import type { ExecSession } from '../../base/exec-session.ts';
import type { FetchOutcome, IncomingArchive, TransferObserver } from '../executor.ts';
import { linesOf } from './lines.ts';
import type { Packing } from './packing.ts';
import { openPatiently, type ReachedPort } from './pod-port.ts';
import { SentBytes } from './sent-bytes.ts';
import { SilenceWatch, silenceMs, withoutBeats } from './silence.ts';

/** Warnings of tar that are kept; a pod can write as many as it likes. */
const mostWarnings = 100;

/** Has the pod pack the named absolute paths. Whether the archive is whole, the reader of its bytes has to check. */
export async function fetchArchive(
  port: ReachedPort,
  paths: readonly string[],
  packing: Packing,
  transfer: TransferObserver,
  signal: AbortSignal,
): Promise<IncomingArchive> {
  const nonce = port.nonce();
  const session = await openPatiently(port, 'send', signal);
  session.stdin.on('error', () => {}); // the archive that does not come tells
  const names = paths.map((path) => path.replace(/^\/+/, ''));
  session.stdin.write(`${nonce} ${packing} ${names.length}\n${names.map((name) => `${name}\n`).join('')}`);
  const outcome = outcomeOf(session, nonce, paths);
  outcome.catch(() => {});
  return {
    bytes: received(port, { session, packing, outcome, nonce }, transfer, signal),
    lastEntry: `.knotless/sent-${nonce}`,
    outcome,
  };
}

interface Sending {
  readonly session: ExecSession;
  readonly packing: Packing;
  readonly outcome: Promise<FetchOutcome>;
  readonly nonce: string;
}

async function* received(
  port: ReachedPort,
  { session, packing, outcome, nonce }: Sending,
  transfer: TransferObserver,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const onAbort = (): void => session.close();
  signal.addEventListener('abort', onAbort, { once: true });
  using silence = new SilenceWatch(port.clock, silenceMs, () => {
    port.trace(`the download: no sign of life for ${silenceMs / 1000} s, dropping the connection`);
    session.close();
  });
  session.stderr.on('data', () => silence.heard());
  const sent = new SentBytes(session.stdout, nonce);
  let bytes = 0;
  try {
    for await (const chunk of unpacked(sent, packing)) {
      bytes += chunk.length;
      transfer.progress(bytes, null);
      using _reader = silence.hold(); // a slow reader is no silent sender
      yield chunk;
    }
    signal.throwIfAborted();
    if (!sent.isWhole) await session.exit; // rejects where the connection broke; else the archive tells
    await outcome;
    session.stdin.end('\n');
  } catch (error) {
    signal.throwIfAborted();
    if (session.stdout.readableEnded) await session.exit; // a broken connection explains what was cut short
    throw asRunnerError(error, 'ConnectionLost');
  } finally {
    signal.removeEventListener('abort', onAbort);
    session.close();
  }
}

const unpacked = (sent: SentBytes, packing: Packing): AsyncIterable<Buffer> =>
  packing === 'gzip' ? pipeline(Readable.from(sent, { objectMode: false }), createGunzip(), () => {}) : sent;

/** Told as soon as it is known; what comes behind it is read all the same. */
function outcomeOf(session: ExecSession, nonce: string, paths: readonly string[]): Promise<FetchOutcome> {
  return new Promise((resolve, reject) => {
    untold(session, nonce, paths, resolve).catch(reject);
  });
}

async function untold(
  session: ExecSession,
  nonce: string,
  paths: readonly string[],
  tell: (outcome: FetchOutcome) => void,
): Promise<never> {
  const missing: string[] = [];
  const warnings: string[] = [];
  for await (const said of linesOf(session.stderr)) {
    const line = withoutBeats(said);
    const [mark, verb, value = ''] = line.split(' ');
    if (mark === nonce && verb === 'missing') missing.push(paths[Number(value)] ?? value);
    else if (mark === nonce && verb === 'tar')
      tell({ missing, warnings, failure: failureOf(value, warnings) });
    else if (warnings.length < mostWarnings && line !== '') warnings.push(line);
  }
  await session.exit;
  throw new RunnerError('ConnectionLost', 'the pod did not say how packing the outputs went', {
    retry: true,
  });
}

/** GNU tar: 1 is "a file changed as it was read"; the archive is whole. */
const failureOf = (code: string, warnings: readonly string[]): string | null =>
  code === '0' || code === '1' ? null : `tar ended with ${code}: ${warnings.slice(-3).join('; ')}`;
