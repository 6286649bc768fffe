import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { badInput } from '../../base/errors.ts';
import { errorCodeOf, isMissing } from '../../base/system-error.ts';

const mostBytes = 1024 * 1024;

/**
 * The text of a file that only its owner may read; null where there is none. Rejects with BadInput where others
 * may read or write it. What it holds is never part of an error. `what` is how messages name it.
 */
export async function readPrivateFile(path: string, what: string): Promise<string | null> {
  const name = `${what} ${path}`;
  let handle: FileHandle;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NOCTTY);
  } catch (error) {
    if (isMissing(error)) return null;
    throw badInput(`${name} cannot be read (${errorCodeOf(error)}); check its permissions`, error);
  }
  await using _ = handle;
  const stats = await handle.stat();
  if (stats.isDirectory()) throw badInput(`${name} is a folder; name a file`);
  // a pipe, as of <(…), is as private as its ends
  if (!stats.isFile() && !stats.isFIFO()) throw badInput(`${name} is neither a file nor a pipe`);
  if ((stats.mode & 0o077) !== 0) {
    const mode = (stats.mode & 0o777).toString(8).padStart(3, '0');
    throw badInput(
      `${name} is open to others (mode ${mode}), so it is not used; close it with chmod 600 ${path}, and change what it holds if others may have read it`,
    );
  }
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of handle.createReadStream({ autoClose: false })) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    total += bytes.length;
    if (total > mostBytes) throw badInput(`${name} is longer than ${mostBytes} bytes; is it the right file?`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw badInput(`${name} is not UTF-8 text; save it as UTF-8`); // without the cause, which may hold the text
  }
}
