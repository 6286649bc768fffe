import { expect, test } from 'vitest';
import { PhaseClock } from '../../src/run/phase-clock.ts';
import { FakeClock } from './support/fake-clock.ts';

const spent = { wait: 1000, upload: 200, steps: 3000, download: 0, cleanup: 0 };

test('a run that is taken up has its first start, and its time away is of the phase it was left in', async () => {
  const clock = new FakeClock();
  await clock.advance(60_000);
  const startedAt = new Date(clock.date().getTime() - 50_000).toISOString();
  const savedAt = new Date(clock.date().getTime() - 40_000).toISOString();
  const phases = new PhaseClock(clock, { startedAt, savedAt, phase: 'steps', spent });
  await clock.advance(500);
  expect(phases.soFar()).toEqual({ phase: 'steps', spent: { ...spent, steps: 43_500 } });
  phases.enter('cleanup');
  await clock.advance(100);
  expect(phases.finish()).toMatchObject({
    startedAt,
    durationMs: 44_800,
    timings: { waitMs: 1000, uploadMs: 200, stepsMs: 43_500, downloadMs: 0, cleanupMs: 100 },
  });
});

test('a date that went back counts as no time', () => {
  const clock = new FakeClock();
  const later = new Date(clock.date().getTime() + 3_600_000).toISOString();
  const phases = new PhaseClock(clock, { startedAt: later, savedAt: later, phase: 'steps', spent });
  expect(phases.soFar().spent).toEqual(spent);
});
