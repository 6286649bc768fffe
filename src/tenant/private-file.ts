import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf, RunnerError } from '../base/errors.ts';

export interface PrivateFile extends AsyncDisposable {
  /** Where the text lies until it is put in place. */
  readonly temporaryPath: string;
  /** Moves it to its place, whole. Rejects with LocalWriteFailed. */
  place(): Promise<void>;
}

/**
 * Writes a text that only its owner can read beside the place where it is to be; what is not put there is removed
 * again. Rejects with LocalWriteFailed. `id` keeps two writers apart.
 */
export async function writePrivateFile(path: string, text: string, id: string): Promise<PrivateFile> {
  const temporaryPath = join(dirname(path), `.${basename(path)}.${id}`);
  const remove = (): Promise<void> => rm(temporaryPath, { force: true }).catch(() => {});
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(temporaryPath, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    await remove();
    throw writeFailed(path, error);
  }
  return {
    temporaryPath,
    place: () =>
      rename(temporaryPath, path).catch((error: unknown) => {
        throw writeFailed(path, error);
      }),
    [Symbol.asyncDispose]: remove,
  };
}

const writeFailed = (path: string, error: unknown): RunnerError =>
  new RunnerError(
    'LocalWriteFailed',
    `${path} cannot be written: ${messageOf(error)}; choose another place`,
    {
      cause: error,
    },
  );
