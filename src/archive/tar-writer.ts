import { blockSize, checksumOf, field, paddedSize, typeFlag } from './tar-format.ts';
import { writeNumber } from './tar-numbers.ts';

export interface HeaderFields {
  /** With a closing slash where it is a folder. */
  readonly name: string;
  readonly type: 'file' | 'link' | 'symlink' | 'folder';
  /** Permission bits, at most 0o7777. */
  readonly mode: number;
  /** Whole seconds since 1970. */
  readonly mtime: number;
  /** Of a file, in bytes; 0 for all others. */
  readonly size: number;
  /** Of a link or symlink; empty for all others. */
  readonly target: string;
  /** Root, unless it is said. */
  readonly owner?: Owner | undefined;
}

/** Whose an entry is to be, for a reader who takes that from the archive. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** How many bytes `entryHeader` makes, found without making them. */
export const entryHeaderSize = (fields: Pick<HeaderFields, 'name' | 'target'>): number =>
  blockSize + longFieldSize(Buffer.byteLength(fields.name)) + longFieldSize(Buffer.byteLength(fields.target));

/**
 * The blocks that stand before an entry's content. A name or target that does not fit is sent ahead as GNU's `L`
 * or `K` entry: GNU tar, bsdtar and every busybox read those, while old busybox builds ignore pax records.
 * Owners are unnamed, and mostly 0: files are to belong to whoever unpacks them.
 */
export function entryHeader(fields: HeaderFields): Buffer {
  const name = Buffer.from(fields.name);
  const target = Buffer.from(fields.target);
  const parts = [
    ...longField(typeFlag.longTarget, target),
    ...longField(typeFlag.longName, name),
    header(typeFlag[fields.type], name, target, fields),
  ];
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
}

/** The field holds 100 bytes; a name that fills it has no end mark, which some old readers do not expect. */
const fits = (length: number): boolean => length < field.name[1];

const longFieldSize = (length: number): number => (fits(length) ? 0 : blockSize + paddedSize(length + 1));

function longField(type: 'K' | 'L', value: Buffer): Buffer[] {
  if (fits(value.length)) return [];
  const content = Buffer.alloc(paddedSize(value.length + 1));
  value.copy(content);
  const fields = { mode: 0, mtime: 0, size: value.length + 1 };
  return [header(type, Buffer.from('././@LongLink'), Buffer.alloc(0), fields), content];
}

function header(
  type: string,
  name: Buffer,
  target: Buffer,
  { mode, mtime, size, owner }: Pick<HeaderFields, 'mode' | 'mtime' | 'size' | 'owner'>,
): Buffer {
  const block = Buffer.alloc(blockSize);
  name.copy(block, field.name[0], 0, field.name[1]);
  target.copy(block, field.target[0], 0, field.target[1]);
  writeNumber(block, field.mode, mode);
  writeNumber(block, field.uid, owner?.uid ?? 0);
  writeNumber(block, field.gid, owner?.gid ?? 0);
  writeNumber(block, field.size, size);
  writeNumber(block, field.mtime, mtime);
  block.write(type, field.type[0], 'latin1');
  block.write('ustar  \0', field.magic[0], 'latin1');
  const sum = checksumOf(block).toString(8).padStart(6, '0');
  block.write(`${sum}\0 `, field.checksum[0], 'latin1');
  return block;
}
