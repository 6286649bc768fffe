import { expect, it } from 'vitest';
import { chart } from '../../bench/chart.ts';
import { ours } from '../../bench/report.ts';
import { report, row, series, stepRow } from './sample-report.ts';

const widths = (svg: string): number[] =>
  [...svg.matchAll(/<rect [^>]*width="(\d+)"/g)].map(([, width]) => Number(width));

it('draws the bars of a row to one scale, and this program in its own colour', () => {
  const svg = chart(report(row('a', 'a', series(ours, 50), series('kubectl', 100))));
  const [own = 0, other = 0] = widths(svg);
  expect(other).toBe(own * 2);
  expect(svg).toMatch(/<rect [^>]*class="own"/);
  expect(svg).toContain('100 ms (× 0.50)');
});

it('shows even what takes next to nothing', () => {
  const svg = chart(report(row('a', 'a', series(ours, 1), series('kubectl', 1e6))));
  expect(Math.min(...widths(svg))).toBeGreaterThan(0);
});

it('leaves out what has nothing to be compared with', () => {
  expect(chart(report(stepRow(), row('memory', 'alone in its row', series(ours, 1))))).not.toContain(
    'alone in its row',
  );
});

it('has room for all rows', () => {
  const rows = Array.from({ length: 9 }, (_, index) => ({ ...stepRow(), id: String(index) }));
  const svg = chart(report(...rows));
  const height = Number(/viewBox="0 0 \d+ (\d+)"/.exec(svg)?.[1]);
  const lowest = Math.max(...[...svg.matchAll(/ y="(\d+)"/g)].map(([, y]) => Number(y)));
  expect(lowest).toBeLessThan(height);
  expect(widths(svg)).toHaveLength(27);
});

it('is well-formed whatever the titles say', () => {
  expect(chart(report(row('a', 'a < b & "c"', series(ours, 1), series('kubectl', 1))))).toContain(
    'a &lt; b &amp; &quot;c&quot;',
  );
});

it('can be read on a dark page', () => {
  expect(chart(report(stepRow()))).toContain('prefers-color-scheme:dark');
});
