import { closeSync, futimesSync, unlinkSync, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type { OutputFolder } from './output-folder.ts';
import { writeFailed } from './output-folder.ts';

export interface FileToWrite {
  /** Relative to the output folder. */
  readonly path: string;
  readonly mode: number;
  /** Seconds since 1970. */
  readonly mtime: number;
}

/** Writes a small file by calls that are not waited for: for thousands of them that is ten times as fast. */
export function writeSmallFile(folder: OutputFolder, file: FileToWrite, content: Uint8Array): void {
  const fd = folder.create(file.path, file.mode);
  const full = folder.full(file.path);
  try {
    for (let written = 0; written < content.length; ) written += writeSync(fd, content, written);
    close(fd, full, file.mtime);
  } catch (error) {
    discard(fd, full);
    throw writeFailed(full, error);
  }
}

const writeSoon = promisify(write);

/** Writes what `next` gives until it gives nothing. Errors of `next` are thrown as they are. */
export async function writeLargeFile(
  folder: OutputFolder,
  file: FileToWrite,
  next: () => Promise<Uint8Array>,
): Promise<void> {
  const fd = folder.create(file.path, file.mode);
  const full = folder.full(file.path);
  try {
    for (let part = await next(); part.length > 0; part = await next()) await writeAll(fd, full, part);
    close(fd, full, file.mtime);
  } catch (error) {
    discard(fd, full);
    throw error;
  }
}

async function writeAll(fd: number, full: string, bytes: Uint8Array): Promise<void> {
  try {
    for (let written = 0; written < bytes.length; ) {
      written += (await writeSoon(fd, bytes, written, bytes.length - written, null)).bytesWritten;
    }
  } catch (error) {
    throw writeFailed(full, error);
  }
}

function close(fd: number, full: string, mtime: number): void {
  try {
    futimesSync(fd, mtime, mtime);
    closeSync(fd);
  } catch (error) {
    throw writeFailed(full, error);
  }
}

/** No part of a file may pass for the whole. */
function discard(fd: number, full: string): void {
  unlinkSync(full);
  try {
    closeSync(fd);
  } catch {
    // It was closed by the call that failed.
  }
}
