import { closeSync, constants, fstatSync, openSync, read, readSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf, RunnerError } from '../base/errors.ts';
import { shownPath } from './shown-path.ts';
import type { FileEntry } from './tree-listing.ts';

const readSoon = promisify(read);

/** A file as it was listed, open for reading from its start. */
export interface ListedFile {
  /** Reads just `length` bytes to where `start` is, or throws a RunnerError naming the file, as do the others. */
  readNow(buffer: Uint8Array, start: number, length: number): void;
  /** Reads at least one byte without blocking the process, and returns how many. */
  readSome(buffer: Uint8Array): Promise<number>;
  close(): void;
}

/**
 * Opens a listed file without following a link or waiting on a FIFO that stands there now, and makes sure that it
 * still is the same one and as long as it was.
 */
export function openListedFile(root: string, file: FileEntry, warn: (message: string) => void): ListedFile {
  const path = join(root, file.path);
  const fd = open(path);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.ino !== file.inode) throw changed(path, 'was replaced');
    if (stats.size < file.size) throw changed(path, 'became shorter');
    if (stats.size > file.size) {
      warn(`${shownPath(path)} grew after it was listed; its first ${file.size} bytes are sent`);
    }
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  return new OpenListedFile(path, fd);
}

function open(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw changed(path, `can no longer be read (${messageOf(error)})`, error);
  }
}

class OpenListedFile implements ListedFile {
  private readonly path: string;
  private readonly fd: number;

  constructor(path: string, fd: number) {
    this.path = path;
    this.fd = fd;
  }

  readNow(buffer: Uint8Array, start: number, length: number): void {
    for (let filled = 0; filled < length; ) {
      filled += this.checked(() => readSync(this.fd, buffer, start + filled, length - filled, null));
    }
  }

  async readSome(buffer: Uint8Array): Promise<number> {
    const { bytesRead } = await readSoon(this.fd, buffer, 0, buffer.length, null).catch((error: unknown) => {
      throw unreadable(this.path, error);
    });
    return this.checked(() => bytesRead);
  }

  close(): void {
    closeSync(this.fd);
  }

  private checked(readBytes: () => number): number {
    let count: number;
    try {
      count = readBytes();
    } catch (error) {
      throw unreadable(this.path, error);
    }
    if (count === 0) throw changed(this.path, 'became shorter');
    return count;
  }
}

const unreadable = (path: string, error: unknown): RunnerError =>
  new RunnerError('UploadFailed', `${shownPath(path)} could not be read: ${messageOf(error)}`, {
    cause: error,
  });

const changed = (path: string, what: string, cause?: unknown): RunnerError =>
  new RunnerError(
    'UploadFailed',
    `${shownPath(path)} ${what} while it was being sent; start again when nothing changes the files`,
    cause === undefined ? {} : { cause },
  );
