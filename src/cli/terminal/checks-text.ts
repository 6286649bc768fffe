import type { Check } from '../../executor/kubernetes/doctor/check.ts';
import { safeLine } from './safe-text.ts';
import { formatTable } from './table.ts';

/** A table of checks, and below it what to do about those that need it. Pure. */
export function checksText(checks: readonly Check[]): string {
  const table = formatTable(
    ['CHECK', 'RESULT', 'DETAIL'],
    checks.map(({ name, result, detail }) => [name, result, detail]),
  );
  const fixes = checks.flatMap(({ name, fix }) =>
    fix === null ? [] : [`  ${safeLine(name)}: ${safeLine(fix)}\n`],
  );
  return fixes.length === 0 ? table : `${table}\nWhat to do:\n${fixes.join('')}`;
}
