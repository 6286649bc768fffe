import type { Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { badInput } from '../../base/errors.ts';
import { quote } from './scalars.ts';

/** The text of a small file that a flag names, as strict UTF-8. Refuses what is missing, a folder, or too long. */
export async function readInputFile(cwd: string, file: string, mostBytes: number): Promise<string> {
  const bytes = await readInputBytes(cwd, file, mostBytes);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw badInput(`${quote(file)} is not UTF-8 text; save it as UTF-8`, error);
  }
}

/** Like `readInputFile`, for what decodes the bytes itself. A pipe (`<(…)`, /dev/stdin) is read to its end. */
export async function readInputBytes(cwd: string, file: string, mostBytes: number): Promise<Uint8Array> {
  const path = resolve(cwd, file);
  const stats = await statInput(path, file);
  if (stats.isDirectory()) throw badInput(`${quote(file)} is a folder; name a file`);
  // One of a shell's <(…) has its writer; another may have none, and to open it would wait for ever.
  if (stats.isFIFO() && !/^\/(?:dev|proc)\//.test(path)) {
    throw badInput(`${quote(file)} is a FIFO; name a file, or name /dev/stdin and pipe it into there`);
  }
  try {
    await using handle = await open(path, 'r');
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of handle.createReadStream({ autoClose: false })) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > mostBytes)
        throw badInput(`${quote(file)} is longer than ${mostBytes} bytes; is it the right file?`);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    throw asBadInput(error, file);
  }
}

export async function checkInputFolder(cwd: string, folder: string): Promise<string> {
  const path = resolve(cwd, folder);
  const stats = await statInput(path, folder);
  if (!stats.isDirectory()) throw badInput(`${quote(folder)} is not a folder; name a folder`);
  return path;
}

async function statInput(path: string, name: string): Promise<Stats> {
  if (name === '') throw badInput('is empty; name a file or folder');
  try {
    return await stat(path);
  } catch (error) {
    throw asBadInput(error, name);
  }
}

const causes: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist; check the path',
  ENOTDIR: 'does not exist: a part of its path is not a folder; check the path',
  EACCES: 'may not be read; check its permissions',
  EPERM: 'may not be read; check its permissions',
  ELOOP: 'cannot be read: its links lead in a circle; check the path',
  ENAMETOOLONG: 'cannot exist: the name is too long; check the path',
};

function asBadInput(error: unknown, name: string): Error {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    if (error.code === 'BadInput') return error;
    return badInput(`${quote(name)} ${causes[error.code] ?? `cannot be read (${error.code})`}`, error);
  }
  return badInput(`${quote(name)} cannot be read`, error);
}
