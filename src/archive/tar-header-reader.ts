import { RunnerError } from '../base/errors.ts';
import { blockSize, checksumOf, field } from './tar-format.ts';
import { readNumber } from './tar-numbers.ts';

/** A header block as it stands, its texts still bytes. */
export interface TarHeader {
  readonly type: string;
  readonly name: Uint8Array;
  readonly target: Uint8Array;
  readonly mode: number;
  readonly size: number;
  /** Seconds since 1970. */
  readonly mtime: number;
}

/** Undefined for a block of zeros. Throws an OutputsRefused RunnerError where it is no header. */
export function readHeader(block: Uint8Array): TarHeader | undefined {
  if (isZero(block)) return undefined;
  if (readNumber(block, field.checksum) !== checksumOf(block))
    throw malformed('a header has a wrong checksum');
  return {
    type: String.fromCharCode(block[field.type[0]] ?? 0),
    name: fullName(block),
    target: textField(block, field.target),
    mode: required(readNumber(block, field.mode), 'mode'),
    size: positive(required(readNumber(block, field.size), 'size')),
    mtime: required(readNumber(block, field.mtime), 'time'),
  };
}

export const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0);

export const malformed = (why: string): RunnerError =>
  new RunnerError('OutputsRefused', `what the pod sent is no valid tar archive: ${why}`);

const posixMagic = [...Buffer.from('ustar\0')];

/** Only POSIX headers continue the name in a prefix; in GNU's, other things stand there. */
function fullName(block: Uint8Array): Uint8Array {
  const name = textField(block, field.name);
  if (block[field.prefix[0]] === 0 || !posixMagic.every((byte, at) => block[field.magic[0] + at] === byte)) {
    return name;
  }
  return Buffer.concat([textField(block, field.prefix), Buffer.from('/'), name]);
}

/** A copy, as the block's memory belongs to the stream. */
function textField(block: Uint8Array, [offset, length]: readonly [number, number]): Uint8Array {
  return upToNul(block.subarray(offset, offset + length)).slice();
}

export function upToNul(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(0);
  return end === -1 ? bytes : bytes.subarray(0, end);
}

function required(value: number | undefined, what: string): number {
  if (value === undefined) throw malformed(`a header's ${what} is no number`);
  return value;
}

function positive(size: number): number {
  if (size < 0 || size > Number.MAX_SAFE_INTEGER - blockSize) throw malformed('a size is out of bounds');
  return size;
}
