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
const chunkBytes = 1 << 20;

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
  const { api, clock, runId } = target;
  // a folder that no step has seen yet, and no volume: the engine sees the container's own disk
  const lastEntry = { name: '.knotless-log/received', content: `${runId}\n` };
  const total = await archive.size(lastEntry);
  const stalled = new AbortController();
  using silence = new SilenceWatch(clock, stallMs, () =>
    stalled.abort(
      new RunnerError('ConnectionLost', `the engine took nothing for ${stallMs / 1000} s`, { retry: true }),
    ),
  );
  const signal = AbortSignal.any([parent, stalled.signal]);
  let local: unknown;
  let sent = 0;
  const onChunk = (chunk: Uint8Array): void => {
    silence.heard();
    sent += chunk.length;
    transfer.progress(sent, total);
  };
  const onError = (error: unknown): void => {
    local = error;
  };
  const body = packed(watched(archive.open(lastEntry, owner), onChunk, onError), packing);
  const call = { path: `/containers/${id}/archive`, action: 'unpack the checkout', signal } as const;
  try {
    const query = { path: '/' };
    const headers: Record<string, string> = packing === 'gzip' ? {} : { 'Content-Length': String(total) };
    await api.request({ ...call, method: 'PUT', query, headers, body, timeoutMs: noDeadlineMs }, anything);
    await api.request({ ...call, method: 'HEAD', query: { path: `/${lastEntry.name}` } }, anything);
  } catch (error) {
    parent.throwIfAborted();
    if (local !== undefined) throw asRunnerError(local, 'UploadFailed');
    throw refused(error);
  } finally {
    body.destroy();
  }
}

async function* watched(
  bytes: AsyncIterable<Uint8Array>,
  onChunk: (chunk: Uint8Array) => void,
  onError: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of bytes) {
      onChunk(chunk);
      yield chunk;
    }
  } catch (error) {
    onError(error);
    throw error;
  }
}

function packed(bytes: AsyncIterable<Uint8Array>, packing: Packing): Readable {
  const source = Readable.from(bytes, { objectMode: false, highWaterMark: chunkBytes });
  // who reads the packed bytes hears of what breaks
  return packing === 'gzip' ? pipeline(source, createGzip({ level: 1 }), () => {}) : source;
}

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
