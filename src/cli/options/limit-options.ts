import { badInput } from '../../base/errors.ts';
import { parseDuration, parseTimeLimit } from '../../workflow/duration.ts';
import type { RunOptionReader } from './run-option-reader.ts';
import type { LimitOptions } from './run-options.ts';

const leastOrphanMs = 120_000;

export function parseLimits(reader: RunOptionReader): LimitOptions {
  return {
    timeoutMs: reader.origin('timeout') === undefined ? undefined : reader.parsed('timeout', parseTimeLimit),
    stepTimeoutMs: reader.parsed('step-timeout', parseTimeLimit),
    readyMs: reader.parsed('ready-timeout', parseTimeLimit) ?? 0,
    orphanMs: reader.parsed('orphan-timeout', parseOrphanTimeout) ?? 0,
    graceMs: reader.parsed('grace', parseDuration) ?? 0,
  };
}

function parseOrphanTimeout(text: string): number {
  const ms = parseDuration(text);
  if (ms < leastOrphanMs) {
    throw badInput(`${text} is too short: a lost connection would end the run; give 2m or more`);
  }
  return ms;
}
