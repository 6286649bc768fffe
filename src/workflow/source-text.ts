import { isUtf8 } from 'node:buffer';
import { badInput } from '../base/errors.ts';
import { inputError } from './input-error.ts';

/** Far beyond any list that a person or a program writes; it bounds what reading can cost. */
const largest = 4 * 1024 * 1024;

/** The text of an input file: UTF-8, less a byte-order mark. Throws a BadInput RunnerError for anything else. */
export function sourceText(bytes: Uint8Array, file: string): string {
  if (bytes.length > largest)
    throw badInput(`${file}: it is larger than ${largest} bytes; is it the right file?`);
  if (isUtf16(bytes)) throw inputError(file, { line: 1 }, 'the file is UTF-16; save it as UTF-8');
  if (!isUtf8(bytes)) {
    throw inputError(file, { line: firstBadLine(bytes) }, 'the line is not UTF-8; save the file as UTF-8');
  }
  return new TextDecoder().decode(bytes); // drops the mark
}

/** By its mark, or without one by the zero byte that every plain character has. */
function isUtf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  return bytes.length % 2 === 0 && bytes.length > 0 && (first === 0) !== (second === 0);
}

function firstBadLine(bytes: Uint8Array): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const newline = bytes.indexOf(10, start);
    const end = newline === -1 ? bytes.length : newline;
    if (!isUtf8(bytes.subarray(start, end))) break;
    start = end + 1;
  }
  return line;
}
