import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { badInput, messageOf } from '../../base/errors.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { errorCodeOf, isMissing } from '../../base/system-error.ts';
import { quote } from './scalars.ts';

/** Where one of the result, the log and the events goes. */
export type OutputTarget = { readonly kind: 'stdout' } | { readonly kind: 'file'; readonly path: string };

export interface NamedTarget {
  /** The option as the person wrote it. */
  readonly label: string;
  readonly target: OutputTarget;
}

export const parseTarget = (cwd: string, text: string): OutputTarget =>
  text === '-' ? { kind: 'stdout' } : { kind: 'file', path: resolve(cwd, text) };

/** Refuses two outputs that would be written into one another. */
export function checkDistinct(targets: readonly NamedTarget[]): void {
  for (const [index, { label, target }] of targets.entries()) {
    for (const other of targets.slice(0, index)) {
      if (target.kind === 'stdout' && other.target.kind === 'stdout') {
        throw badInput(`${other.label} and ${label} both go to standard output; send one of them to a file`);
      }
      if (target.kind === 'file' && other.target.kind === 'file' && target.path === other.target.path) {
        throw badInput(`${other.label} and ${label} are the same file; give each its own`);
      }
    }
  }
}

/** Whether a file can be made or written at `path`; touches nothing. */
export async function checkWritableFile(path: string): Promise<void> {
  const there = await statOrNull(path);
  if (there === null) return checkFolderCanHold(dirname(path), path);
  if (there.isDirectory()) throw badInput(`${quote(path)} is a folder; name a file`);
  // One of a shell's >(…) has its reader; another may have none, and to open it would wait for ever.
  if (there.isFIFO() && !/^\/(?:dev|proc)\//.test(path)) {
    throw badInput(`${quote(path)} is a FIFO; name a file, or write - and pipe standard output into it`);
  }
  await checkAccess(path, constants.W_OK, path);
}

/** Whether a folder can be made or written at `path`; touches nothing. */
export const checkWritableFolder = (path: string): Promise<void> => checkFolderCanHold(path, path);

/** What only trying can tell: some places take no folder though their permissions say so. */
export async function makeOutputFolder(path: string): Promise<void> {
  try {
    await makeFolder(path);
  } catch (error) {
    throw badInput(`${quote(path)} cannot be written (${messageOf(error)}); choose another place`, error);
  }
}

/** The nearest folder that is there must take new entries. */
async function checkFolderCanHold(folder: string, wanted: string): Promise<void> {
  const there = await statOrNull(folder);
  if (there === null && dirname(folder) !== folder) return checkFolderCanHold(dirname(folder), wanted);
  if (there !== null && !there.isDirectory()) {
    throw badInput(
      `${quote(wanted)} cannot be written: ${quote(folder)} is not a folder; choose another place`,
    );
  }
  await checkAccess(folder, constants.W_OK | constants.X_OK, wanted);
}

async function checkAccess(path: string, mode: number, wanted: string): Promise<void> {
  try {
    await access(path, mode);
  } catch (error) {
    const inside = path === wanted ? '' : ` in ${quote(path)}`;
    throw badInput(
      `${quote(wanted)} cannot be written: no right to write${inside}; choose another place`,
      error,
    );
  }
}

async function statOrNull(path: string): Promise<Awaited<ReturnType<typeof stat>> | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (isMissing(error)) return null;
    if (errorCodeOf(error) === 'EACCES')
      throw badInput(`${quote(path)} cannot be reached; check the permissions`, error);
    throw badInput(`${quote(path)} cannot be written; choose another place`, error);
  }
}
