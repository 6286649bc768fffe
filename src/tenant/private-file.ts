import { dirname } from 'node:path';
import { messageOf, RunnerError } from '../base/errors.ts';
import { makeFolder } from '../base/make-folder.ts';
import { type FileBeside, writeBeside } from '../base/whole-file.ts';

/**
 * Writes a text that only its owner can read beside the place where it is to be; what is not put there is removed
 * again. Rejects with LocalWriteFailed, as its `place` does. `id` keeps two writers apart.
 */
export async function writePrivateFile(path: string, text: string, id: string): Promise<FileBeside> {
  return named(path, async () => {
    await makeFolder(dirname(path), 0o700);
    const file = await writeBeside(path, text, { mode: 0o600, id });
    return { ...file, place: () => named(path, () => file.place()) };
  });
}

async function named<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw writeFailed(path, error);
  }
}

const writeFailed = (path: string, error: unknown): RunnerError =>
  new RunnerError(
    'LocalWriteFailed',
    `${path} cannot be written: ${messageOf(error)}; choose another place`,
    {
      cause: error,
    },
  );
