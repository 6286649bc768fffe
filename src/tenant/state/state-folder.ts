import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { RunnerError } from '../../base/errors.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { errorCodeOf } from '../../base/system-error.ts';
import { writePrivateFile } from '../private-file.ts';

/** Makes the folder, and finds out now whether files can be written there. */
export async function preparePrivateFolder(path: string): Promise<void> {
  try {
    await makeFolder(path, 0o700);
    await access(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new RunnerError(
      'LocalWriteFailed',
      `the folder ${path} cannot be made or written (${errorCodeOf(error)}); check it, or name another with --state-dir`,
      { cause: error },
    );
  }
}

/** Puts a file that only its owner can read in place, whole or not at all. */
export async function keepPrivately(path: string, text: string): Promise<void> {
  await using file = await writePrivateFile(path, text, randomUUID());
  await file.place();
}
