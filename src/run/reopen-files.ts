import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { badInput, messageOf } from '../base/errors.ts';
import { makeFolder } from '../base/make-folder.ts';
import { type ByteSink, type Destination, fileSink, openDestination } from './destination.ts';
import type { LogPosition } from './log-writer.ts';

export interface ReopenedLog extends LogPosition {
  readonly sink: ByteSink;
}

/** Goes on with a log: cuts a file back to `bytes`. Rejects with BadInput where it does not hold as many. */
export async function reopenLog(destination: Destination, bytes: number): Promise<ReopenedLog> {
  const start = { written: 0, lastByte: undefined };
  if (destination.kind === 'stream') return { sink: await openDestination(destination), ...start };
  const file = await openWithout(destination.path, 'a+', async (opened) => {
    const { size } = await opened.stat();
    if (size < bytes) {
      throw new Error(`it has ${size} bytes, but the steps that ended had written ${bytes}; put it back`);
    }
    await opened.truncate(bytes);
  });
  const last = Buffer.alloc(1);
  if (bytes > 0) await file.read(last, 0, 1, bytes - 1);
  return {
    sink: fileSink(file, destination.path),
    written: bytes,
    lastByte: bytes > 0 ? last[0] : undefined,
  };
}

/** Goes on with the events: what a killed runner left of a last line goes. */
export async function reopenEvents(destination: Destination): Promise<ByteSink> {
  if (destination.kind === 'stream') return openDestination(destination);
  const file = await openWithout(destination.path, 'a+', async (opened) => {
    await opened.truncate(await endOfLastLine(opened));
  });
  return fileSink(file, destination.path);
}

async function openWithout(
  path: string,
  flags: string,
  cut: (file: FileHandle) => Promise<void>,
): Promise<FileHandle> {
  let file: FileHandle | undefined;
  try {
    await makeFolder(dirname(path));
    file = await open(path, flags);
    await cut(file);
    return file;
  } catch (error) {
    await file?.close();
    throw badInput(`${path} cannot be gone on with: ${messageOf(error)}`, error);
  }
}

const blockBytes = 64 * 1024;

async function endOfLastLine(file: FileHandle): Promise<number> {
  const block = Buffer.alloc(blockBytes);
  for (let end = (await file.stat()).size; end > 0; ) {
    const start = Math.max(0, end - blockBytes);
    const { bytesRead } = await file.read(block, 0, end - start, start);
    const at = block.subarray(0, bytesRead).lastIndexOf(0x0a);
    if (at >= 0) return start + at + 1;
    end = start;
  }
  return 0;
}
