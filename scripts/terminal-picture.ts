import type { Cell, Style } from './terminal-screen.ts';

const size = { font: 14, column: 8.4, row: 19, margin: 16 } as const;
const background = '#1b1f27';
const foreground = '#d5dae3';
const palette = ['#5c6370', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#d5dae3'];

/** An SVG of a terminal's screen. Each run of one style has its own place and width, whatever the font is. */
export function picture(rows: readonly (readonly Cell[])[], columns: number, title: string): string {
  const width = columns * size.column + 2 * size.margin;
  const height = rows.length * size.row + 2 * size.margin;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${fixed(width)} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="${background}"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${size.font}" fill="${foreground}" xml:space="preserve">`,
    ...rows.flatMap((row, index) => textsOf(row, size.margin + (index + 0.75) * size.row)),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function textsOf(row: readonly Cell[], y: number): string[] {
  const texts: string[] = [];
  for (let start = 0; start < row.length; ) {
    const style = row[start]?.style;
    let end = start + 1;
    while (end < row.length && row[end]?.style === style) end += 1;
    const text = row.slice(start, end).map(({ character }) => character);
    const x = size.margin + start * size.column;
    if (style && text.some((character) => character !== ' ')) {
      const length = fixed(text.length * size.column);
      texts.push(
        `<text x="${fixed(x)}" y="${fixed(y)}" textLength="${length}"${attributes(style)}>${escaped(text.join(''))}</text>`,
      );
    }
    start = end;
  }
  return texts;
}

const attributes = ({ bold, dim, colour }: Style): string =>
  [
    bold ? ' font-weight="bold"' : '',
    dim ? ' opacity="0.6"' : '',
    colour === undefined ? '' : ` fill="${palette[colour]}"`,
  ].join('');

const fixed = (value: number): string => String(Math.round(value * 100) / 100);

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
