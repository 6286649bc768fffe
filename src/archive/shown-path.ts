/** A path as a message may show it: in quotes, with whatever could disturb a terminal or a log escaped. */
export function shownPath(path: string | Uint8Array): string {
  const text = typeof path === 'string' ? path : Buffer.from(path).toString('latin1');
  const escaped = typeof path === 'string' ? unprintable : unprintableOrHigh;
  const shown = text.replaceAll(escaped, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
  });
  return shown.length > limit ? `"${shown.slice(0, limit)}…"` : `"${shown}"`;
}

const limit = 500;
/** Controls, separators, direction marks and other format characters, and halves of surrogate pairs. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\\"]/gu;
/** For bytes that are not UTF-8, each shown by itself. */
const unprintableOrHigh = /[\x00-\x1f\x7f-\xff\\"]/g;
