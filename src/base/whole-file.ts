import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export interface WholeFileOptions {
  /** The umask is taken off; 0o666 without it. */
  readonly mode?: number;
  /** Keeps two writers apart. What a writer of the same one left is replaced. */
  readonly id: string;
}

export interface FileBeside extends AsyncDisposable {
  /** Where the text lies until it is put in place. */
  readonly temporaryPath: string;
  /** Moves it to its place. */
  place(): Promise<void>;
}

/** Writes a text, whole and on the disk, beside the place where it is to be; what is not put there is removed again. */
export async function writeBeside(
  path: string,
  text: string,
  { mode = 0o666, id }: WholeFileOptions,
): Promise<FileBeside> {
  const temporaryPath = join(dirname(path), `.${basename(path)}.${id}`);
  const remove = (): Promise<void> => rm(temporaryPath, { force: true }).catch(() => {});
  await remove();
  // made anew: one that somebody put there would keep its mode, or lead elsewhere
  const file = await open(temporaryPath, 'wx', mode);
  try {
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    await remove();
    throw error;
  }
  return { temporaryPath, place: () => rename(temporaryPath, path), [Symbol.asyncDispose]: remove };
}

/** Replaces a file, whole or not at all. */
export async function writeWholeFile(path: string, text: string, options: WholeFileOptions): Promise<void> {
  await using file = await writeBeside(path, text, options);
  await file.place();
}
