import { safeLine } from './safe-text.ts';
import { padText, textWidth } from './text-width.ts';

const gap = '   ';

/**
 * Rows under a heading, as kubectl prints them. The cells may come from the cluster: nothing in them can drive a
 * terminal or begin a line.
 */
export function formatTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heading, ...rows].map((row) => row.map((cell) => safeLine(cell) || nothing));
  const widths = heading.map((_, column) => Math.max(...lines.map((row) => textWidth(row[column] ?? ''))));
  return lines
    .map(
      (row) =>
        `${row
          .map((cell, column) => padText(cell, widths[column] ?? 0))
          .join(gap)
          .trimEnd()}\n`,
    )
    .join('');
}

/** kubectl's word for an empty cell. */
const nothing = '<none>';
