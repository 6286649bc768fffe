import { randomBytes } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { asRunnerError, RunnerError } from '../../base/errors.ts';
import type { OutgoingArchive, Owner, TransferObserver } from '../executor.ts';
import type { Packing } from '../step-protocol/packing.ts';
import { SilenceWatch } from '../step-protocol/silence.ts';
import { anything } from './engine-objects.ts';
import type { RunTarget } from './run-target.ts';

/** Without a byte taken or an answer given for this long, the road is dead. */
const stallMs = 60_000;
/** The silence watch is what ends an upload. */
const noDeadlineMs = 2 ** 31 - 1;

export interface ArchiveRoad {
  readonly target: RunTarget;
  readonly id: string;
  readonly owner: Owner;
  readonly packing: Packing;
}

/**
 * Has the engine unpack an archive at `/`. Done only when it has said that it did, and has the last entry. Owners come
 * from the archive. Rejects with UploadFailed in the engine's words, or with what of the checkout cannot be read.
 */
export async function putArchive(
  { target, id, owner, packing }: ArchiveRoad,
  archive: OutgoingArchive,
  transfer: TransferObserver,
  parent: AbortSignal,
): Promise<void> {
  const { api, clock } = target;
  // no volume: the engine sees the container's own disk
  const mark = randomBytes(8).toString('hex');
  const lastEntry = { name: `.knotless-log/received-${mark}`, content: `${mark}\n` };
  const total = await archive.size(lastEntry);
  const stalled = new AbortController();
  using silence = new SilenceWatch(clock, stallMs, () =>
    stalled.abort(
      new RunnerError('ConnectionLost', `the engine took nothing for ${stallMs / 1000} s`, { retry: true }),
    ),
  );
  const signal = AbortSignal.any([parent, stalled.signal]);
  let local: unknown;
  const spare: Uint8Array[] = [];
  const watch = {
    total,
    onProgress: (sent: number): void => {
      silence.heard();
      transfer.progress(sent, total);
    },
    onError: (error: unknown): void => {
      local = error;
    },
  };
  const bytes = watched(archive.open(lastEntry, { owner, spare }), watch);
  const stream =
    packing === 'gzip'
      ? { bytes: gzipped(bytes), sent: () => {} }
      : { bytes, sent: (chunk: Uint8Array) => void spare.push(chunk) };
  const call = { path: `/containers/${id}/archive`, action: 'unpack the checkout', signal } as const;
  try {
    const query = { path: '/', noOverwriteDirNonDir: 'true' };
    const headers: Record<string, string> = packing === 'gzip' ? {} : { 'Content-Length': String(total) };
    await api.request({ ...call, method: 'PUT', query, headers, stream, timeoutMs: noDeadlineMs }, anything);
    await api.request({ ...call, method: 'HEAD', query: { path: `/${lastEntry.name}` } }, anything);
  } catch (error) {
    parent.throwIfAborted();
    if (local !== undefined) throw asRunnerError(local, 'UploadFailed');
    throw refused(error);
  }
}

interface Watch {
  readonly total: number;
  readonly onProgress: (sent: number) => void;
  readonly onError: (error: unknown) => void;
}

/** An engine waits for what was announced: bytes that are not that many are told here. */
async function* watched(
  bytes: AsyncIterable<Uint8Array>,
  { total, onProgress, onError }: Watch,
): AsyncGenerator<Uint8Array> {
  let sent = 0;
  try {
    for await (const chunk of bytes) {
      sent += chunk.length;
      onProgress(sent);
      yield chunk;
    }
    if (sent !== total)
      throw new RunnerError('UploadFailed', `the archive has ${sent} bytes, and was to have ${total}`);
  } catch (error) {
    onError(error);
    throw error;
  }
}

/** Who reads the packed bytes hears of what breaks. */
const gzipped = (bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
  pipeline(Readable.from(bytes, { objectMode: false }), createGzip({ level: 1 }), () => {});

/** It answered, and not that it may be tried again: what it says is of the checkout or of its disk. */
function refused(error: unknown): RunnerError {
  const known = asRunnerError(error, 'ConnectionLost');
  if (known.retry || known.code === 'ConnectionLost') return known;
  return new RunnerError(
    'UploadFailed',
    `the checkout could not be unpacked in the container: ${known.message}`,
    {
      cause: known,
    },
  );
}
