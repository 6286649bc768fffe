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
}

/** Whose an entry is to be, for a reader who takes that from the archive. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const root: Owner = { uid: 0, gid: 0 };

/** How many bytes `entryHeader` makes, found without making them. */
export const entryHeaderSize = (fields: Pick<HeaderFields, 'name' | 'target'>): number =>
  blockSize + longFieldSize(Buffer.byteLength(fields.name)) + longFieldSize(Buffer.byteLength(fields.target));

/**
 * The blocks that stand before an entry's content. A name or target that does not fit is sent ahead as GNU's `L`
 * or `K` entry: GNU tar, bsdtar and every busybox read those, while old busybox builds ignore pax records.
 * Owners are unnamed, and 0 unless one is given: files are to belong to whoever unpacks them.
 */
export function entryHeader(fields: HeaderFields, owner: Owner = root): Buffer {
  const last = header(typeFlag[fields.type], fields, owner);
  const ahead = [
    ...longField(typeFlag.longTarget, fields.target),
    ...longField(typeFlag.longName, fields.name),
  ];
  return ahead.length === 0 ? last : Buffer.concat([...ahead, last]);
}

/** The field holds 100 bytes; a name that fills it has no end mark, which some old readers do not expect. */
const fits = (length: number): boolean => length < field.name[1];

const longFieldSize = (length: number): number => (fits(length) ? 0 : blockSize + paddedSize(length + 1));

function longField(type: 'K' | 'L', value: string): Buffer[] {
  const length = Buffer.byteLength(value);
  if (fits(length)) return [];
  const content = Buffer.alloc(paddedSize(length + 1));
  content.write(value);
  const fields = { name: '././@LongLink', target: '', mode: 0, mtime: 0, size: length + 1 };
  return [header(type, fields, root), content];
}

/** With as much of a name and target as fits. */
function header(type: string, fields: Omit<HeaderFields, 'type'>, { uid, gid }: Owner): Buffer {
  const block = Buffer.alloc(blockSize);
  block.write(fields.name, ...field.name);
  block.write(fields.target, ...field.target);
  writeNumber(block, field.mode, fields.mode);
  writeNumber(block, field.uid, uid);
  writeNumber(block, field.gid, gid);
  writeNumber(block, field.size, fields.size);
  writeNumber(block, field.mtime, fields.mtime);
  block.write(type, field.type[0], 'latin1');
  block.write('ustar  \0', field.magic[0], 'latin1');
  writeNumber(block, [field.checksum[0], 7], checksumOf(block));
  block[field.checksum[0] + 7] = 32;
  return block;
}
