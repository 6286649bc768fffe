import { expect, test } from 'vitest';
import { LinkRate } from '../../src/executor/step-protocol/link-rate.ts';
import { manualClock } from '../kube/fixtures/manual-clock.ts';

const mebibyte = 2 ** 20;
const size = 64 * mebibyte;

/** Sends at so many MiB/s once `buffered` MiB have been taken at once; at which MiB it is to start anew, if at all. */
function startedAnewAt(rate: number, buffered: number): number | undefined {
  let nowMs = 0;
  const clock = { ...manualClock(), now: () => nowMs };
  const link = new LinkRate({ compress: 'auto', isNear: false, gzip: true, clock });
  for (let sent = 1; sent <= 64; sent++) {
    if (sent > buffered) nowMs += 1000 / rate;
    if (link.taken(sent * mebibyte, size)) return sent;
  }
  expect(link.packing(size)).toBe('none');
  return undefined;
}

test.each([
  ['a slow link is seen by its sixth MiB', 5, 0, 6],
  ['buffers that take the first eight at once hide it for a little longer', 5, 8, 10],
  ['a quick link is left as it is', 100, 0, undefined],
  ['what is slow only after 24 MiB is not started anew', 5, 30, undefined],
] as const)('%s', (_what, rate, buffered, anew) => {
  expect(startedAnewAt(rate, buffered)).toBe(anew);
});
