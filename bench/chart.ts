import { ratio, time } from './figures.ts';
import { ours, type Report, type Row, type Series } from './report.ts';
import { pairedRatio, summaryOf } from './statistics.ts';

const size = {
  column: 440,
  gap: 24,
  margin: 16,
  heading: 44,
  title: 20,
  bar: 12,
  line: 17,
  after: 12,
  names: 110,
  figures: 104,
} as const;

/**
 * The medians of a report as bars, those of one row to one scale; behind each other contender stands how this
 * program's time compares with it. An SVG without a background that can be read on a light page and on a dark one.
 */
export function chart(report: Report): string {
  const rows = report.rows.filter(({ series }) => series.length > 1);
  const columns = inColumns(rows);
  const height = size.heading + Math.max(...columns.map(heightOf)) + size.margin;
  const width = 2 * size.column + size.gap + 2 * size.margin;
  const { cluster, machine, kubectl, startedAt } = report;
  const where = `Kubernetes ${cluster.version}, ${cluster.runtime}, kubectl ${kubectl}, ${machine.cpus} processors, Node ${machine.node}, ${startedAt.slice(0, 10)}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Medians of a benchmark run; shorter is better">`,
    `<style>${style}</style>`,
    `<text x="${size.margin}" y="20" class="head">Shorter is better; × 0.50: this program takes half of that time. Medians of one run, measured in turns.</text>`,
    `<text x="${size.margin}" y="36" class="faint">${escaped(where)}</text>`,
    ...columns.flatMap((column, index) => columnOf(column, size.margin + index * (size.column + size.gap))),
    '</svg>',
    '',
  ].join('\n');
}

const style = [
  'text{font:12px system-ui,"Segoe UI",Helvetica,Arial,sans-serif;fill:#1f2328}',
  '.head{font-weight:600;font-size:13px}.title{font-weight:600}.faint{fill:#59636e;font-size:11px}',
  '.own{fill:#0969da}.other{fill:#afb8c1}',
  '@media(prefers-color-scheme:dark){text{fill:#e6edf3}.faint{fill:#9198a1}.own{fill:#4493f8}.other{fill:#656c76}}',
].join('');

const rowHeight = ({ series }: Row): number => size.title + series.length * size.line + size.after;
const heightOf = (rows: readonly Row[]): number => rows.reduce((sum, row) => sum + rowHeight(row), 0);

/** Two columns, in the order of the rows, as even as that allows. */
function inColumns(rows: readonly Row[]): readonly [readonly Row[], readonly Row[]] {
  const half = heightOf(rows) / 2;
  let cut = 0;
  while (cut < rows.length && heightOf(rows.slice(0, cut)) < half) cut++;
  return [rows.slice(0, cut), rows.slice(cut)];
}

function columnOf(rows: readonly Row[], x: number): string[] {
  let y: number = size.heading;
  return rows.flatMap((row) => {
    const lines = rowOf(row, x, y);
    y += rowHeight(row);
    return lines;
  });
}

function rowOf({ title, series }: Row, x: number, y: number): string[] {
  const own = series.find(({ contender }) => contender === ours);
  const longest = Math.max(...series.map((one) => summaryOf(one).ms));
  const room = size.column - size.names - size.figures;
  return [
    `<text x="${x}" y="${y + 14}" class="title">${escaped(title)}</text>`,
    ...series.flatMap((one, index) => {
      const top = y + size.title + index * size.line;
      const { ms } = summaryOf(one);
      const width = Math.max(1, Math.round((ms / longest) * room));
      const start = x + size.names;
      return [
        `<text x="${start - 8}" y="${top + 10}" text-anchor="end">${escaped(one.contender)}</text>`,
        `<rect x="${start}" y="${top}" width="${width}" height="${size.bar}" rx="2" class="${one === own ? 'own' : 'other'}"/>`,
        `<text x="${start + width + 6}" y="${top + 10}">${escaped(figureOf(one, own))}</text>`,
      ];
    }),
  ];
}

function figureOf(series: Series, own: Series | undefined): string {
  const { ms } = summaryOf(series);
  return own && own !== series ? `${time(ms)} (× ${ratio(pairedRatio(own, series))})` : time(ms);
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
