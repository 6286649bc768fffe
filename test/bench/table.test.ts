import { expect, it } from 'vitest';
import { ours } from '../../bench/report.ts';
import { markdownTable, terminalTable } from '../../bench/table.ts';
import { report, row, series, stepRow } from './sample-report.ts';

it('shows medians, ratios and what they must be', () => {
  const lines = terminalTable(report(stepRow())).split('\n');
  expect(lines[1]).toBe('a step, back to back');
  expect(lines[2]?.split(/ {2,}/)).toEqual(['', ours, '21 ms', '20 ms – 22 ms', '3']);
  expect(lines[3]?.split(/ {2,}/).slice(-2)).toEqual(['0.41', '≤ 0.7 ✓']);
  expect(lines[4]?.split(/ {2,}/).slice(-2)).toEqual(['0.38', '≤ 0.3 ✗']);
});

it('stands in columns', () => {
  const lines = terminalTable(report(stepRow())).split('\n');
  const ends = lines.slice(2, 5).map((line) => line.indexOf(' ms ') + 3);
  expect(new Set(ends).size).toBe(1);
});

it('names what could not be measured', () => {
  const failed = { ...report(), failures: ['runs: the cluster went away'] };
  expect(terminalTable(failed)).toContain('not measured: runs: the cluster went away');
});

it('shows the ratio of many runs to one, where this program meets itself', () => {
  const atOnce = row('at-once', 'at once', series('1 run', 100), series('16 runs', 110));
  expect(terminalTable(report(atOnce))).toMatch(/1 run .*1\.10 +≤ 1\.2 ✓/);
});

it('is a Markdown table with as many cells in each line', () => {
  const lines = markdownTable(report(stepRow())).trim().split('\n');
  expect(lines).toHaveLength(5);
  expect(new Set(lines.map((line) => line.split('|').length)).size).toBe(1);
  expect(lines[2]).toMatch(/^\| a step, back to back \| this program \| 21 ms \|/);
});
