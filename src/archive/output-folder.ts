import type { Stats } from 'node:fs';
import {
  chmodSync,
  constants,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  realpathSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { messageOf, RunnerError } from '../base/errors.ts';
import { parentOf } from './entry-name.ts';
import { shownPath } from './shown-path.ts';

/** What is to be set on a folder once nothing more is put into it. */
interface FolderEnd {
  readonly isNew: boolean;
  mode: number | undefined;
  mtime: number | undefined;
}

/**
 * A folder into which files of an untrusted sender are put. Every folder on the way to a file is looked at before
 * it is gone into, so that a link that stands there, from whenever, is never followed; files are only ever made
 * new. Paths are relative and safe. Errors are LocalWriteFailed RunnerErrors that name the path.
 */
export class OutputFolder {
  /** By path, each known to be a real folder; a parent stands before its children. */
  private readonly folders = new Map<string, FolderEnd>();
  readonly root: string;

  constructor(destination: string) {
    this.root = local(destination, () => {
      mkdirSync(destination, { recursive: true });
      return realpathSync(destination);
    });
  }

  full(path: string): string {
    return `${this.root}/${path}`;
  }

  /**
   * Makes a folder or goes into the one that is there, which keeps its own mode. The given one is set by
   * `finish`, less the umask; until then the owner may write.
   */
  folder(path: string, mode: number, mtime: number): void {
    this.enter(parentOf(path));
    const end = this.folders.get(path) ?? this.makeFolder(path, mode);
    if (end.isNew) end.mode = mode;
    end.mtime = mtime;
  }

  /** Makes a file and opens it for writing; its mode is less the umask. Replaces what is there, but no folder. */
  create(path: string, mode: number): number {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    return this.place(path, (full) => openSync(full, flags, mode & 0o777));
  }

  /** Makes `path` another name of `target`, which must be a file that was made here. */
  link(path: string, target: string): void {
    if (path !== target) this.place(path, (full) => linkSync(this.full(target), full));
  }

  symlink(path: string, target: string, mtime: number): void {
    this.place(path, (full) => {
      symlinkSync(target, full);
      lutimesSync(full, mtime, mtime);
    });
  }

  /** Sets modes and times of folders, innermost first. */
  finish(): void {
    for (const [path, { isNew, mode, mtime }] of [...this.folders].reverse()) {
      const full = this.full(path);
      local(full, () => {
        if (mode !== undefined) chmodSync(full, isNew ? lessUmask(lstatSync(full), mode) : mode);
        if (mtime !== undefined) lutimesSync(full, mtime, mtime);
      });
    }
    this.folders.clear();
  }

  /** What `finish` does, as far as it can be done: after an error that tells more. */
  giveUp(): void {
    try {
      this.finish();
    } catch {
      // The first error is the one to tell.
    }
  }

  /** Makes something at a path where nothing or something replaceable is. */
  private place<T>(path: string, make: (full: string) => T): T {
    this.enter(parentOf(path));
    const full = this.full(path);
    return local(full, () => {
      try {
        return make(full);
      } catch (error) {
        if (!isThere(error)) throw error;
        this.clear(full);
        return make(full);
      }
    });
  }

  private clear(full: string): void {
    if (lstatSync(full).isDirectory()) throw new Error('a folder is in the way; remove it');
    unlinkSync(full);
  }

  /** Makes sure that a path and all above it are real folders. */
  private enter(path: string): void {
    if (path === '' || this.folders.has(path)) return;
    this.enter(parentOf(path));
    this.makeFolder(path, 0o777);
  }

  private makeFolder(path: string, mode: number): FolderEnd {
    const full = this.full(path);
    const end: FolderEnd = local(full, () => {
      const there = lstatSync(full, { throwIfNoEntry: false });
      if (there?.isDirectory()) return openFolder(full, there);
      if (there) unlinkSync(full);
      mkdirSync(full, (mode & 0o777) | 0o700);
      return { isNew: true, mode: undefined, mtime: undefined };
    });
    this.folders.set(path, end);
    return end;
  }
}

/** Lets the owner write into a folder that was there; its mode is put back by `finish`. */
function openFolder(full: string, there: Stats): FolderEnd {
  const mode = there.mode & 0o7777;
  const isOpen = (mode & 0o700) === 0o700;
  if (!isOpen) chmodSync(full, mode | 0o700);
  return { isNew: false, mode: isOpen ? undefined : mode, mtime: undefined };
}

/** The system took the umask off group and others when it made the folder. */
const lessUmask = (now: Stats, mode: number): number => (mode & 0o700) | (mode & now.mode & 0o077);

const isThere = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EEXIST';

function local<T>(full: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw writeFailed(full, error);
  }
}

export const writeFailed = (full: string, error: unknown): RunnerError =>
  error instanceof RunnerError
    ? error
    : new RunnerError('LocalWriteFailed', `${shownPath(full)} could not be written: ${messageOf(error)}`, {
        cause: error,
      });
