import { expect, it } from 'vitest';
import { withFigures } from '../../bench/figures-in-page.ts';
import { report, stepRow } from './sample-report.ts';

const page = (between: string): string =>
  `before\n<!-- figures: written by bench/publish.ts -->\n${between}<!-- end of figures -->\nafter\n`;

it('writes the figures between the marks, and again over themselves', () => {
  const once = withFigures(page('old\n'), report(stepRow()));
  expect(once).toMatch(/^before\n/);
  expect(once).toMatch(/\nafter\n$/);
  expect(once).toContain('| a step, back to back |');
  expect(once).not.toContain('old');
  expect(withFigures(once, report(stepRow()))).toBe(once);
});

it('names what was not measured', () => {
  expect(withFigures(page(''), { ...report(), failures: ['runs: gone'] })).toContain(
    '- not measured: runs: gone',
  );
});

it('refuses a page without the marks', () => {
  expect(() => withFigures('nothing', report())).toThrow('no place for figures');
});
