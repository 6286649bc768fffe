import { ours, type Report, type Row, type Series } from '../../bench/report.ts';

export const series = (contender: string, ...times: number[]): Series => ({
  contender,
  samples: times.map((ms) => ({ ms })),
});

export const row = (id: string, title: string, ...of: Series[]): Row => ({ id, title, series: of });

export const report = (...rows: Row[]): Report => ({
  schemaVersion: 1,
  startedAt: '2026-11-30T05:00:00.000Z',
  durationMs: 300_400,
  machine: { cpus: 2, cpu: 'a processor', memoryBytes: 24e9, node: 'v20.20.0' },
  cluster: { version: 'v1.34.4', runtime: 'containerd://1.6.1', image: 'busybox:1.36' },
  kubectl: 'v1.34.4',
  rows,
  failures: [],
});

export const stepRow = (): Row =>
  row(
    'step-back-to-back',
    'a step, back to back',
    series(ours, 20, 22, 21),
    series('bare WebSocket', 50, 52, 51),
    series('kubectl', 50, 60, 55),
  );
