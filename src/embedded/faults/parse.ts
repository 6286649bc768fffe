import { z } from 'zod';
import { badInput } from '../../base/errors.ts';
import type { FaultRule } from './rules.ts';
import { faultRuleSchema } from './rules.ts';

const names: Readonly<Record<string, string>> = { 'retry-after': 'retryAfter' };
const durations = new Set(['after', 'ms']);
const numbers = new Set(['times', 'skip', 'status', 'retryAfter', 'bytes', 'bps']);

/** `500`, `500ms`, `2s`, `1m` in milliseconds. */
function milliseconds(text: string): number {
  const [, number = '', unit = 'ms'] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text) ?? [];
  return number === '' ? Number.NaN : Number(number) * (unit === 'm' ? 60_000 : unit === 's' ? 1000 : 1);
}

/**
 * One fault as text: `ACTION [KIND[,KIND...]] [KEY=VALUE ...]`, the keys being those of `FaultRule`, times with
 * a unit. For instance `answer create-job status=429 retry-after=2 times=1`, `cut exec after=500ms how=rst`,
 * `evict pod-running after=2s`, `refuse-pod`. A message may hold spaces if it comes last.
 */
export function parseFault(text: string): FaultRule {
  const [head = '', message] = text.split(/\s+message=/, 2);
  const [action = '', ...words] = head.trim().split(/\s+/);
  const rule: Record<string, unknown> = { do: action, ...(message !== undefined && { message }) };
  for (const word of words) {
    const [key = '', ...rest] = word.split('=');
    if (rest.length === 0) {
      rule.kind = key.split(',');
      continue;
    }
    const name = names[key] ?? key;
    const value = rest.join('=');
    rule[name] = durations.has(name) ? milliseconds(value) : numbers.has(name) ? Number(value) : value;
  }
  const result = faultRuleSchema.safeParse(rule);
  if (result.success) return result.data;
  throw badInput(
    `"${text}" is no fault: ${z.prettifyError(result.error).replace(/\s+/g, ' ')}`,
    result.error,
  );
}
