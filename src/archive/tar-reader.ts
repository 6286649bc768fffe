import { RunnerError } from '../base/errors.ts';
import { ByteSource } from './byte-source.ts';
import type { PaxRecords } from './pax-records.ts';
import { readPaxRecords, sparse } from './pax-records.ts';
import { blockSize, paddingAfter, typeFlag } from './tar-format.ts';
import type { TarHeader } from './tar-header-reader.ts';
import { isZero, malformed, readHeader, upToNul } from './tar-header-reader.ts';

export interface TarEntry {
  readonly kind: 'file' | 'link' | 'symlink' | 'folder' | 'special';
  /** As it stands, not yet checked in any way. */
  readonly name: Uint8Array;
  readonly target: Uint8Array;
  readonly mode: number;
  readonly size: number;
  /** Seconds since 1970. */
  readonly mtime: number;
}

/** More than a path can be long, and than any sender's other records. */
const longestMetadata = 256 * 1024;
/** An entry has at most a long name, a long target and a pax header, and global ones may stand between. */
const mostMetadataEntries = 8;
/** GNU tar fills its last record, 10 KiB by default, with zeros. */
const longestTail = 1024 * 1024;

/**
 * Reads a tar archive of GNU tar, busybox or bsdtar, entry by entry, from a sender that is not trusted: whatever
 * comes, memory stays bounded, and the end is told only where the archive's own end has come. Errors are RunnerErrors:
 * OutputsIncomplete where it was cut off, OutputsRefused where it is malformed.
 */
export class TarReader {
  /** All that was read as metadata, in bytes. */
  metadataBytes = 0;
  private readonly source: ByteSource;
  /** What is still to come of the entry's content, and of the padding after it. */
  private contentLeft = 0;
  private padding = 0;

  constructor(bytes: AsyncIterable<Uint8Array>, signal?: AbortSignal) {
    this.source = new ByteSource(bytes, signal);
  }

  /** The next entry, once what is left of the one before has been passed over; undefined at the end. */
  async next(): Promise<TarEntry | undefined> {
    await this.passOver(this.contentLeft + this.padding);
    let longName: Uint8Array | undefined;
    let longTarget: Uint8Array | undefined;
    let pax: PaxRecords | undefined;
    for (let headers = 0; ; headers += 1) {
      if (headers > mostMetadataEntries) throw malformed('it has nothing but metadata');
      const header = readHeader(await this.take(blockSize));
      if (!header) {
        if (longName || longTarget || pax) throw malformed('it ends within an entry');
        await this.readTail();
        return undefined;
      }
      switch (header.type) {
        case typeFlag.longName:
          longName = once(longName, upToNul(await this.metadata(header)));
          break;
        case typeFlag.longTarget:
          longTarget = once(longTarget, upToNul(await this.metadata(header)));
          break;
        case typeFlag.pax:
          pax = once(pax, readPaxRecords(await this.metadata(header)));
          break;
        case typeFlag.paxGlobal:
          await this.metadata(header);
          break;
        default:
          return this.begin({
            ...header,
            name: pax?.path ?? longName ?? header.name,
            target: pax?.target ?? longTarget ?? header.target,
            size: pax?.size ?? header.size,
            mtime: pax?.mtime ?? header.mtime,
          });
      }
    }
  }

  /** The whole content of the entry; meant for small ones. */
  async content(): Promise<Uint8Array> {
    const { contentLeft } = this;
    this.contentLeft = 0;
    return this.take(contentLeft);
  }

  /** The next bytes of the entry's content, at most 1 MiB; none when all was read. */
  async someContent(): Promise<Uint8Array> {
    const part = await this.takeSome(Math.min(this.contentLeft, 1024 * 1024));
    this.contentLeft -= part.length;
    return part;
  }

  /** Tells the sender that nothing more is wanted. */
  stop(): void {
    this.source.stop();
  }

  private begin(header: TarHeader): TarEntry {
    const kind = kindOf(header.type);
    const size = kind === 'file' ? header.size : 0;
    this.contentLeft = size;
    this.padding = paddingAfter(size);
    return { kind, name: header.name, target: header.target, mode: header.mode, size, mtime: header.mtime };
  }

  private async metadata({ size }: TarHeader): Promise<Uint8Array> {
    if (size > longestMetadata) throw malformed(`an entry has ${size} bytes of name and other records`);
    this.metadataBytes += size + blockSize;
    const content = (await this.take(size)).slice();
    await this.take(paddingAfter(size));
    return content;
  }

  /** After the first zero block: one more, then nothing but zeros. */
  private async readTail(): Promise<void> {
    if (!isZero(await this.take(blockSize))) throw malformed('a single block of zeros stands in it');
    for (let length = 0; ; ) {
      const part = await this.source.takeSome(blockSize);
      if (part.length === 0) return;
      length += part.length;
      if (length > longestTail || !isZero(part)) throw malformed('something follows its end');
    }
  }

  private async passOver(count: number): Promise<void> {
    for (let left = count; left > 0; ) left -= (await this.takeSome(left)).length;
    this.contentLeft = 0;
    this.padding = 0;
  }

  private async take(count: number): Promise<Uint8Array> {
    const bytes = await this.source.take(count);
    if (!bytes) throw cutOff();
    return bytes;
  }

  private async takeSome(most: number): Promise<Uint8Array> {
    const bytes = await this.source.takeSome(most);
    if (bytes.length === 0 && most > 0) throw cutOff();
    return bytes;
  }
}

const cutOff = (): RunnerError =>
  new RunnerError('OutputsIncomplete', 'the archive that the pod sent was cut off before its end', {
    retry: true,
  });

function once<T>(before: T | undefined, now: T): T {
  if (before !== undefined) throw malformed('an entry has several long names');
  return now;
}

/** Of the types of entries that have no content here, none has any: POSIX lets a link have some, no sender does. */
function kindOf(type: string): TarEntry['kind'] {
  switch (type) {
    case typeFlag.file:
    case '\0':
    case '7': // a contiguous file, which no system tells from others
      return 'file';
    case typeFlag.link:
      return 'link';
    case typeFlag.symlink:
      return 'symlink';
    case typeFlag.folder:
      return 'folder';
    case typeFlag.characterDevice:
    case typeFlag.blockDevice:
    case typeFlag.fifo:
      return 'special';
    case 'S':
      throw sparse();
    default:
      throw malformed(`an entry has the unknown type ${JSON.stringify(type)}`);
  }
}
