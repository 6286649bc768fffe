import { expect, test } from 'vitest';
import { TransferProgress } from '../../src/run/transfer-progress.ts';
import { FakeClock } from './support/fake-clock.ts';

test('tells of a transfer ten times a second at most, and always the last', async () => {
  const clock = new FakeClock();
  const told: number[] = [];
  const progress = new TransferProgress(clock, (bytes) => told.push(bytes));
  for (let bytes = 1; bytes <= 1000; bytes += 1) {
    progress.progress(bytes, null);
    await clock.advance(1);
  }
  progress.progress(1001, null);
  progress.finish();
  progress.finish();
  expect(told).toHaveLength(11);
  expect(told.at(-1)).toBe(1001);
});
