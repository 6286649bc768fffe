import type { Sample, Series } from './report.ts';

/** NaN of no values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  if (!Number.isInteger(middle)) return upper;
  return ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * The median of the ratios round by round. What slows the machine for a while slows both sides of a round, so
 * this is steadier than the ratio of two medians.
 */
export function pairedRatio(one: Series, other: Series): number {
  const ratios = one.samples.flatMap(({ ms }, round) => {
    const against = other.samples[round]?.ms;
    return against ? [ms / against] : [];
  });
  return median(ratios);
}

export interface Summary {
  readonly ms: number;
  readonly fastestMs: number;
  readonly slowestMs: number;
  readonly count: number;
  readonly cpuMs: number | undefined;
  readonly peakBytes: number | undefined;
}

export function summaryOf({ samples }: Series): Summary {
  const times = samples.map(({ ms }) => ms);
  return {
    ms: median(times),
    fastestMs: Math.min(...times),
    slowestMs: Math.max(...times),
    count: samples.length,
    cpuMs: medianOfKnown(samples, ({ cpuMs }) => cpuMs),
    peakBytes: medianOfKnown(samples, ({ peakBytes }) => peakBytes),
  };
}

function medianOfKnown(
  samples: readonly Sample[],
  of: (sample: Sample) => number | undefined,
): number | undefined {
  const known = samples.flatMap((sample) => of(sample) ?? []);
  return known.length > 0 ? median(known) : undefined;
}
