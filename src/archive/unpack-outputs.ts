import { RunnerError } from '../base/errors.ts';
import { BoundedWarnings } from './bounded-warnings.ts';
import { ClaimedPaths } from './claimed-paths.ts';
import { safePath, whyUnsupported } from './entry-name.ts';
import { staysInside } from './link-target.ts';
import { writeLargeFile, writeSmallFile } from './output-file.ts';
import { OutputFolder } from './output-folder.ts';
import { shownPath } from './shown-path.ts';
import type { TarEntry } from './tar-reader.ts';
import { TarReader } from './tar-reader.ts';
import { timeSlices } from './time-slice.ts';

export interface UnpackOptions {
  /** Made where it does not exist. Files that are there already are replaced by new ones of their name. */
  readonly destination: string;
  /** The archive is whole only if a regular file of this name ends it; it is not unpacked. */
  readonly lastEntry: string;
  /** Where an entry goes, relative to the destination (empty: the destination itself); null for what was not asked for. */
  readonly place: (name: string) => string | null;
  readonly limits: OutputLimits;
  readonly warn: (message: string) => void;
  /** Told after each file that has landed. */
  readonly progress?: (landed: Unpacked) => void;
  readonly signal?: AbortSignal;
}

interface OutputLimits {
  /** Of all contents and metadata together. */
  readonly maxBytes: number;
  /** Of files, folders and links together. */
  readonly maxFiles: number;
}

export interface Unpacked {
  /** Regular files, each name of one that has several. */
  readonly files: number;
  /** Of their contents. */
  readonly bytes: number;
}

/**
 * Unpacks an archive from a pod, which is not trusted, and resolves when all of it has landed. Nothing outside the
 * destination is written, linked or read. Modes are kept less setuid, setgid, sticky bit and umask; times are kept.
 * Devices, sockets and FIFOs are skipped with a warning, and so are symbolic links that lead out of the destination.
 *
 * Rejects with a RunnerError: OutputsIncomplete where the archive is not whole; OutputsRefused where it is malformed,
 * hostile or beyond a limit, or holds names that cannot be kept (all others are unpacked then); LocalWriteFailed. What
 * has landed stays, but never a part of a file.
 */
export async function unpackOutputs(
  bytes: AsyncIterable<Uint8Array>,
  options: UnpackOptions,
): Promise<Unpacked> {
  const reader = new TarReader(bytes, options.signal);
  try {
    return await new Unpacking(reader, options).run();
  } finally {
    reader.stop();
  }
}

/** Up to this size, a file is written by one call that is not waited for. */
const smallFile = 256 * 1024;

interface PendingLink {
  readonly target: string;
  readonly mtime: number;
}

class Unpacking {
  private readonly reader: TarReader;
  private readonly options: UnpackOptions;
  private readonly warnings: BoundedWarnings;
  private readonly claims = new ClaimedPaths();
  private readonly folder: OutputFolder;
  /** Made last, when nothing more is written. */
  private readonly symlinks = new Map<string, PendingLink>();
  /** Of names that cannot be kept. */
  private firstRefusal: string | undefined;
  private refusals = 0;
  private entries = 0;
  private files = 0;
  private bytes = 0;
  private contentBytes = 0;

  constructor(reader: TarReader, options: UnpackOptions) {
    this.reader = reader;
    this.options = options;
    this.warnings = new BoundedWarnings(options.warn);
    this.folder = new OutputFolder(options.destination);
  }

  async run(): Promise<Unpacked> {
    try {
      await this.readAll();
      this.makeSymlinks();
      this.folder.finish();
    } catch (error) {
      this.folder.giveUp();
      throw error;
    } finally {
      this.warnings.finish();
    }
    if (this.firstRefusal === undefined) return this.landed();
    const others = this.refusals === 1 ? '' : `; and ${this.refusals - 1} more that cannot be kept`;
    throw new RunnerError('OutputsRefused', this.firstRefusal + others);
  }

  private async readAll(): Promise<void> {
    const pause = timeSlices(this.options.signal);
    let isWhole = false;
    for (let entry = await this.reader.next(); entry; entry = await this.reader.next()) {
      await pause();
      if (isWhole)
        throw new RunnerError('OutputsRefused', 'the archive that the pod sent goes on after its last entry');
      this.checkLimits(entry);
      if (this.isLastEntry(entry)) isWhole = true;
      else await this.unpack(entry);
    }
    if (!isWhole) {
      throw new RunnerError('OutputsIncomplete', 'the archive that the pod sent ends before its last entry');
    }
  }

  private checkLimits(entry: TarEntry): void {
    const { maxBytes, maxFiles } = this.options.limits;
    this.entries += 1;
    this.contentBytes += entry.size;
    if (this.entries > maxFiles + 1) {
      const reason = `the outputs are more than ${maxFiles} files and folders; raise --outputs-max-files`;
      throw new RunnerError('OutputsRefused', reason);
    }
    if (this.contentBytes + this.reader.metadataBytes > maxBytes) {
      throw new RunnerError(
        'OutputsRefused',
        `the outputs are more than ${maxBytes} bytes; raise --outputs-max-size`,
      );
    }
  }

  private isLastEntry(entry: TarEntry): boolean {
    const { lastEntry } = this.options;
    return (
      entry.kind === 'file' &&
      entry.name.length <= lastEntry.length + 2 &&
      Buffer.from(entry.name).toString().replace(/^\.\//, '') === lastEntry
    );
  }

  private async unpack(entry: TarEntry): Promise<void> {
    const name = this.textOf(entry.name, 'the name');
    const path = name === undefined ? undefined : this.placeOf(safePath(name));
    if (name === undefined || path === undefined) return;
    if (path === '') {
      if (entry.kind === 'folder') return;
      throw new RunnerError(
        'OutputsRefused',
        `the pod sent ${shownPath(name)} as ${entry.kind} where a folder is due`,
      );
    }
    switch (entry.kind) {
      case 'folder':
        this.claims.claim(path, 'folder', name);
        this.folder.folder(path, entry.mode, timeOf(entry));
        return;
      case 'file':
        return this.file(path, name, entry);
      case 'link':
        return this.link(path, name, entry);
      case 'symlink': {
        const target = this.textOf(entry.target, `the target of the symbolic link ${shownPath(name)},`);
        if (target !== undefined) this.symlink(path, name, { target, mtime: timeOf(entry) });
        return;
      }
      case 'special':
        this.skip(path, name);
    }
  }

  /** Undefined where it cannot be kept, which is told when all others have landed. */
  private textOf(bytes: Uint8Array, what: string): string | undefined {
    const why = whyUnsupported(bytes);
    if (why === undefined) return Buffer.from(bytes).toString();
    const message = `${what} ${shownPath(bytes)} cannot be kept: ${why}; rename it in the step`;
    this.firstRefusal ??= message;
    this.refusals += 1;
    return undefined;
  }

  private placeOf(name: string): string | undefined {
    const path = this.options.place(name);
    if (path !== null) return safePath(path);
    this.warnings.add(`the output ${shownPath(name)} was skipped: it was not asked for`);
    return undefined;
  }

  private async file(path: string, name: string, entry: TarEntry): Promise<void> {
    const isNew = this.claims.claim(path, 'file', name);
    const file = { path, mode: entry.mode, mtime: timeOf(entry) };
    if (entry.size <= smallFile) writeSmallFile(this.folder, file, await this.reader.content());
    else await writeLargeFile(this.folder, file, () => this.reader.someContent());
    this.bytes += entry.size;
    this.count(isNew);
  }

  private link(path: string, name: string, entry: TarEntry): void {
    const targetName = this.textOf(entry.target, `the target of the link ${shownPath(name)},`);
    const target = targetName === undefined ? undefined : this.placeOf(safePath(targetName));
    if (targetName === undefined || target === undefined) return;
    const symlink = this.symlinks.get(target);
    if (symlink) {
      this.symlink(path, name, symlink);
      return;
    }
    const kind = this.claims.kindOf(target);
    if (kind === 'skipped') {
      this.skip(path, name);
      return;
    }
    if (kind !== 'file') {
      const reason = `the pod sent ${shownPath(name)} as a link to ${shownPath(targetName)}, which is no file that it sent`;
      throw new RunnerError('OutputsRefused', reason);
    }
    const isNew = this.claims.claim(path, 'file', name);
    this.folder.link(path, target);
    this.count(isNew);
  }

  private skip(path: string, name: string): void {
    this.claims.claim(path, 'skipped', name);
    this.warnings.add(`the output ${shownPath(name)} was skipped: it is a device or FIFO`);
  }

  private symlink(path: string, name: string, link: PendingLink): void {
    this.claims.claim(path, 'symlink', name);
    this.claims.hold(link.target.length);
    this.symlinks.set(path, link);
  }

  private makeSymlinks(): void {
    for (const [path, { target, mtime }] of this.symlinks) {
      if (staysInside(this.folder.root, path, this.symlinks)) this.folder.symlink(path, target, mtime);
      else {
        const reason = `it leads to ${shownPath(target)}, out of the outputs folder`;
        this.warnings.add(`the symbolic link ${shownPath(path)} was skipped: ${reason}`);
      }
    }
  }

  private count(isNew: boolean): void {
    if (isNew) this.files += 1;
    this.options.progress?.(this.landed());
  }

  private landed(): Unpacked {
    return { files: this.files, bytes: this.bytes };
  }
}

/** Of a time that no file system could keep, the nearest that most can. */
const timeOf = ({ mtime }: TarEntry): number => Math.min(Math.max(mtime, -(2 ** 31)), 2 ** 33);
