import { ours, type Row } from './report.ts';
import { pairedRatio, summaryOf } from './statistics.ts';

/** What this program must reach, against another contender of the same row or by itself. */
export type Target =
  | { readonly row: string; readonly of?: string; readonly against: string; readonly atMost: number }
  | { readonly row: string; readonly peakMegabytes: number };

const transfers = ['200mb', '2000', '20000'].flatMap((what) => [`up-${what}`, `down-${what}`]);

export const targets: readonly Target[] = [
  { row: 'step-spaced', against: 'bare WebSocket', atMost: 0.35 },
  { row: 'step-back-to-back', against: 'bare WebSocket', atMost: 0.7 },
  { row: 'step-back-to-back', against: 'kubectl', atMost: 0.3 },
  { row: 'step-spaced', against: 'docker exec', atMost: 0.5 },
  { row: 'step-back-to-back', against: 'docker exec', atMost: 0.5 },
  { row: 'up-200mb', against: 'docker cp', atMost: 1 },
  { row: 'run-100', against: 'kubectl script', atMost: 0.4 },
  { row: 'around-the-steps', against: 'bare Job', atMost: 1.25 },
  ...transfers.map((row) => ({ row, against: 'bare WebSocket', atMost: row.endsWith('200mb') ? 1.05 : 1.3 })),
  ...transfers.map((row) => ({ row, against: 'kubectl', atMost: 0.95 })),
  { row: 'memory', peakMegabytes: 150 },
  { row: 'at-once', of: '16 runs', against: '1 run', atMost: 1.2 },
];

export interface Judged {
  readonly row: string;
  /** "at most 0.35 of bare WebSocket". */
  readonly demand: string;
  /** The other contender that it is measured against; undefined where it stands alone. */
  readonly against: string | undefined;
  readonly value: number;
  readonly isReached: boolean;
}

/** Targets whose row was not measured are left out. */
export function judge(rows: readonly Row[]): Judged[] {
  return targets.flatMap((target): Judged[] => {
    const row = rows.find(({ id }) => id === target.row);
    const subject = row?.series.find(
      ({ contender }) => contender === (('of' in target && target.of) || ours),
    );
    if (!row || !subject) return [];
    if ('peakMegabytes' in target) {
      const value = (summaryOf(subject).peakBytes ?? Number.NaN) / 1e6;
      const isReached = value <= target.peakMegabytes;
      return [
        { row: row.id, demand: `at most ${target.peakMegabytes} MB`, against: undefined, value, isReached },
      ];
    }
    const { against, atMost } = target;
    const other = row.series.find(({ contender }) => contender === against);
    if (!other) return [];
    const value = pairedRatio(subject, other);
    return [
      { row: row.id, demand: `at most ${atMost} of ${against}`, against, value, isReached: value <= atMost },
    ];
  });
}
