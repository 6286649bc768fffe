import { describe, expect, it } from 'vitest';
import { ours } from '../../bench/report.ts';
import { judge } from '../../bench/targets.ts';
import { row, series, stepRow } from './sample-report.ts';

describe('the judgement', () => {
  it('holds each target against its own contender', () => {
    expect(judge([stepRow()])).toMatchObject([
      { against: 'bare WebSocket', isReached: true },
      { against: 'kubectl', isReached: false },
    ]);
  });

  it('counts a ratio that is just reached', () => {
    const exact = row('around-the-steps', '', series(ours, 125), series('bare Job', 100));
    expect(judge([exact])).toMatchObject([{ value: 1.25, isReached: true }]);
  });

  it('compares many runs at once with one alone', () => {
    const atOnce = row('at-once', '', series('1 run', 100), series('4 runs', 500), series('16 runs', 130));
    expect(judge([atOnce])).toMatchObject([{ against: '1 run', value: 1.3, isReached: false }]);
  });

  it('misses a target of memory where memory was not measured', () => {
    expect(judge([row('memory', '', series(ours, 1))])).toMatchObject([{ isReached: false }]);
    const small = { contender: ours, samples: [{ ms: 1, peakBytes: 149e6 }] };
    expect(judge([{ id: 'memory', title: '', series: [small] }])).toMatchObject([
      { value: 149, isReached: true },
    ]);
  });

  it('says nothing of what was not measured', () => {
    expect(judge([row('step-spaced', '', series(ours, 1)), row('printing', '', series(ours, 1))])).toEqual(
      [],
    );
  });
});
