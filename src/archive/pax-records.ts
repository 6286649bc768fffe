import { malformed } from './tar-header-reader.ts';

/** What a pax header says of the entry that follows it; all else in it (owners, times of access) is passed over. */
export interface PaxRecords {
  readonly path?: Uint8Array;
  readonly target?: Uint8Array;
  readonly size?: number;
  /** Seconds since 1970, with a fraction. */
  readonly mtime?: number;
}

/** Reads `LENGTH KEY=VALUE\n` records. Throws an OutputsRefused RunnerError where they are none. */
export function readPaxRecords(bytes: Uint8Array): PaxRecords {
  const found: { path?: Uint8Array; target?: Uint8Array; size?: number; mtime?: number } = {};
  for (let rest = bytes; rest.length > 0; ) {
    const { key, value, length } = firstRecord(rest);
    rest = rest.subarray(length);
    if (key.startsWith('GNU.sparse.')) throw sparse();
    if (key === 'path') found.path = value.slice();
    if (key === 'linkpath') found.target = value.slice();
    if (key === 'size') found.size = numberOf(value, /^[0-9]{1,15}$/);
    if (key === 'mtime') found.mtime = numberOf(value, /^-?[0-9]{1,15}(\.[0-9]*)?$/);
  }
  return found;
}

export const sparse = (): Error =>
  malformed('it has sparse files in a form that is not read here (GNU tar makes them with -S only)');

function firstRecord(bytes: Uint8Array): { key: string; value: Uint8Array; length: number } {
  const space = bytes.indexOf(32);
  const digits = text(bytes.subarray(0, Math.max(space, 0)));
  const length = /^[0-9]{1,9}$/.test(digits) ? Number(digits) : 0;
  const equals = bytes.indexOf(61, space);
  const isWhole = length <= bytes.length && equals > space && equals < length && bytes[length - 1] === 10;
  if (!isWhole) throw malformed('a pax header is broken');
  return {
    key: text(bytes.subarray(space + 1, equals)),
    value: bytes.subarray(equals + 1, length - 1),
    length,
  };
}

function numberOf(value: Uint8Array, form: RegExp): number {
  const digits = text(value);
  if (!form.test(digits)) throw malformed('a pax header has a broken number');
  return Number(digits);
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
