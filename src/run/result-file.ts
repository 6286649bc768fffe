import { access, constants, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { badInput, messageOf } from '../base/errors.ts';
import { makeFolder } from '../base/make-folder.ts';
import { writeWholeFile } from '../base/whole-file.ts';
import { type Destination, openDestination, writeFailed } from './destination.ts';
import type { RunResult } from './result-schema.ts';

/** Writes a result, whole or not at all; rejects with LocalWriteFailed. */
export type ResultWriter = (result: RunResult) => Promise<void>;

/** Rejects with BadInput where a result could not be written there. Leaves an older result alone. */
export async function prepareResult(destination: Destination): Promise<ResultWriter> {
  if (destination.kind === 'stream') {
    return toSink(destination);
  }
  const path = await realpath(destination.path).catch(() => resolve(destination.path));
  try {
    await makeFolder(dirname(path));
    const existing = await stat(path).catch(() => null);
    if (existing && !existing.isFile() && !existing.isDirectory()) {
      return toSink(destination); // a rename would replace a device or a FIFO
    }
    if (existing?.isDirectory()) {
      throw new Error('it is a folder');
    }
    await access(dirname(path), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw badInput(`${destination.path} cannot be written: ${messageOf(error)}`, error);
  }
  return (result) => replaceFile(path, textOf(result), result.run.id);
}

const textOf = (result: RunResult): string => `${JSON.stringify(result, null, 2)}\n`;

const toSink =
  (destination: Destination): ResultWriter =>
  async (result) => {
    const sink = await openDestination(destination);
    try {
      await sink.write(Buffer.from(textOf(result)));
    } finally {
      await sink.close();
    }
  };

async function replaceFile(path: string, text: string, id: string): Promise<void> {
  try {
    await writeWholeFile(path, text, { id });
  } catch (error) {
    throw writeFailed(path, error);
  }
}
