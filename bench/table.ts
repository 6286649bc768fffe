import { megabytes, ratio, time } from './figures.ts';
import { ours, type Report, type Row } from './report.ts';
import { pairedRatio, summaryOf } from './statistics.ts';
import { type Judged, judge } from './targets.ts';

const headings = ['', 'median', 'fastest – slowest', 'n', 'CPU', 'memory', `${ours} is`, 'must be'] as const;

/** The whole report for a terminal. */
export function terminalTable(report: Report): string {
  const judged = judge(report.rows);
  const blocks = report.rows.map((row) => ({ title: row.title, cells: cellsOf(row, judged) }));
  const lines = [headings, ...blocks.flatMap(({ cells }) => cells)];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    `  ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')}`.trimEnd();
  return [
    line(headings),
    ...blocks.flatMap(({ title, cells }) => [title, ...cells.map(line)]),
    ...notesOf(report),
    '',
  ].join('\n');
}

/** The same as a Markdown table, one line for each contender. */
export function markdownTable(report: Report): string {
  const judged = judge(report.rows);
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(['measure', 'by', ...headings.slice(1)]),
    line(['---', '---', ...headings.slice(1).map(() => '---:')]),
    ...report.rows.flatMap((row) =>
      cellsOf(row, judged).map((cells, index) => line([index === 0 ? row.title : '', ...cells])),
    ),
    '',
  ].join('\n');
}

/** What went otherwise than meant, a line each. */
export const notesOf = ({ rows, failures }: Report): readonly string[] => [
  ...rows.flatMap(({ title, series }) =>
    series.flatMap(({ contender, repeated = [] }) =>
      repeated.map((why) => `done again: ${title}, ${contender}: ${why}`),
    ),
  ),
  ...failures.map((failure) => `not measured: ${failure}`),
];

function cellsOf(row: Row, judged: readonly Judged[]): string[][] {
  const own = row.series.find(({ contender }) => contender === ours);
  return row.series.map((series) => {
    const { ms, fastestMs, slowestMs, count, cpuMs, peakBytes } = summaryOf(series);
    const { contender } = series;
    const demands = judged.filter((one) => one.row === row.id && (one.against ?? ours) === contender);
    const compared = own && own !== series ? [ratio(pairedRatio(own, series))] : [];
    return [
      contender,
      time(ms),
      `${time(fastestMs)} – ${time(slowestMs)}`,
      String(count),
      cpuMs === undefined ? '' : time(cpuMs),
      peakBytes === undefined ? '' : megabytes(peakBytes),
      own ? compared.join('') : demands.map(({ value }) => ratio(value)).join(', '),
      demands.map(({ demand, isReached }) => `${shortened(demand)} ${isReached ? '✓' : '✗'}`).join(', '),
    ];
  });
}

/** The line itself says against whom. */
const shortened = (demand: string): string => demand.replace(/ of .*$/, '').replace('at most', '≤');
