/**
 * Writes a number into a header's field: octal and a NUL where it fits, else base-256 as GNU tar does (the only
 * form for sizes over 8 GiB and times before 1970 that busybox and GNU tar both read).
 */
export function writeNumber(
  header: Uint8Array,
  [offset, length]: readonly [number, number],
  value: number,
): void {
  const digits = length - 1;
  if (value >= 0 && value < 8 ** digits) {
    let rest = value;
    for (let at = offset + digits - 1; at >= offset; at -= 1) {
      header[at] = 48 + (rest % 8);
      rest = Math.floor(rest / 8);
    }
    header[offset + digits] = 0;
    return;
  }
  let rest = BigInt(value);
  for (let at = offset + length - 1; at >= offset; at -= 1) {
    header[at] = Number(rest & 255n);
    rest >>= 8n;
  }
  header[offset] = value < 0 ? 255 : 128;
}

/** Reads a field that is octal or base-256; undefined where it is neither, or beyond exact numbers. */
export function readNumber(
  header: Uint8Array,
  [offset, length]: readonly [number, number],
): number | undefined {
  const bytes = header.subarray(offset, offset + length);
  const first = bytes[0] ?? 0;
  return first & 128 ? readBase256(bytes, first) : readOctal(bytes);
}

function readBase256(bytes: Uint8Array, first: number): number | undefined {
  const negative = (first & 64) !== 0;
  let value = BigInt(negative ? (first | 128) - 256 : first & 127);
  for (const byte of bytes.subarray(1)) value = (value << 8n) | BigInt(byte);
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** Spaces may stand before the digits, spaces and NULs after them; an empty field is 0. */
function readOctal(bytes: Uint8Array): number | undefined {
  let at = 0;
  while (bytes[at] === 32) at += 1;
  let value = 0;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === 0 || byte === 32) break;
    if (byte < 48 || byte > 55) return undefined;
    value = value * 8 + (byte - 48);
  }
  for (; at < bytes.length; at += 1) if (bytes[at] !== 0 && bytes[at] !== 32) return undefined;
  return value;
}
