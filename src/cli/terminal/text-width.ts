const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** What terminals draw two columns wide: East Asian wide and full-width forms, and emoji. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|^\p{Emoji_Presentation}|^[\u{1f000}-\u{1ffff}\u{20000}-\u{3fffd}]|\ufe0f/u;
const invisible = /^[\p{Mark}\p{Default_Ignorable_Code_Point}\p{Cc}]+$/u;

/** Columns that a line without escape sequences takes. */
export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** The text cut to `columns`, with … where something is missing. */
export function fitText(text: string, columns: number): string {
  // No need to measure what can never fit.
  const start = text.slice(0, columns * 8);
  if (start.length === text.length && textWidth(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const { segment } of graphemes.segment(start)) {
    width += graphemeWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return columns > 0 ? `${kept}…` : '';
}

export const padText = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - textWidth(text)));

function graphemeWidth(grapheme: string): number {
  if (invisible.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}
