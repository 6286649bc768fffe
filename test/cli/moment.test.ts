import { expect, test } from 'vitest';
import { formatMoment } from '../../src/cli/terminal/moment.ts';

const now = new Date('2026-11-30T07:02:00Z');

test.each([
  ['UTC', '2026-12-01T07:02:00Z', 'Tue 1 Dec 2026, 07:02 UTC, in 24 h 0 min'],
  ['Europe/Berlin', '2026-12-01T07:02:00Z', 'Tue 1 Dec 2026, 08:02 CET, in 24 h 0 min'],
  ['America/New_York', '2026-12-01T03:00:00Z', 'Mon 30 Nov 2026, 22:00 GMT-5, in 19 h 58 min'],
  ['UTC', '2026-11-30T07:00:00Z', 'Mon 30 Nov 2026, 07:00 UTC, over already'],
])('in %s, %s', (zone, date, words) => {
  const before = process.env.TZ;
  process.env.TZ = zone;
  try {
    expect(formatMoment(new Date(date), now)).toBe(words);
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
});
