import { describe, expect, it } from 'vitest';
import { median, pairedRatio, summaryOf } from '../../bench/statistics.ts';
import { series } from './sample-report.ts';

describe('the median', () => {
  it('is the middle of an odd number of values, whatever their order', () => {
    expect(median([9, 1, 100])).toBe(9);
  });

  it('is between the two in the middle of an even number', () => {
    expect(median([4, 1, 100, 2])).toBe(3);
  });

  it('is no number where there is no value', () => {
    expect(median([])).toBeNaN();
  });
});

describe('the ratio of two contenders', () => {
  it('compares what was measured side by side, so that a slow moment counts for both', () => {
    expect(pairedRatio(series('a', 10, 100, 10), series('b', 20, 200, 20))).toBe(0.5);
    // the ratio of the medians would be 1
    expect(pairedRatio(series('a', 10, 20, 20), series('b', 20, 40, 10))).toBe(0.5);
  });

  it('leaves out rounds that only one of them has', () => {
    expect(pairedRatio(series('a', 10, 10, 999), series('b', 20, 20))).toBe(0.5);
  });
});

describe('a summary', () => {
  it('tells the median and both ends', () => {
    expect(summaryOf(series('a', 3, 1, 2))).toMatchObject({ ms: 2, fastestMs: 1, slowestMs: 3, count: 3 });
  });

  it('does not make up what was not measured', () => {
    expect(summaryOf(series('a', 1))).toMatchObject({ cpuMs: undefined, peakBytes: undefined });
  });

  it('takes the median of what was measured in some rounds only', () => {
    const samples = [{ ms: 1, peakBytes: 5 }, { ms: 1 }, { ms: 1, peakBytes: 7 }];
    expect(summaryOf({ contender: 'a', samples }).peakBytes).toBe(6);
  });
});
