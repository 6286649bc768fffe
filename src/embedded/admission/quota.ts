import { z } from 'zod';
import { quantity } from '../../base/quantity.ts';
import type { KubeObject } from '../store/object.ts';
import type { Pod, PodSpec } from '../store/pod.ts';
import { isTerminal } from '../store/pod.ts';

const quotaSchema = z.looseObject({
  spec: z.looseObject({ hard: z.record(z.string(), z.union([z.string(), z.number()])).default({}) }),
});

/** What a spec asks of one resource of a quota: `pods`, `cpu`, `requests.memory`, `limits.cpu`, … */
function usageOf(spec: PodSpec, name: string): number | undefined {
  if (name === 'pods' || name === 'count/pods') return 1;
  const [kind, resource] = name.startsWith('limits.')
    ? (['limits', name.slice('limits.'.length)] as const)
    : (['requests', name.replace(/^requests\./, '')] as const);
  if (resource !== 'cpu' && resource !== 'memory' && resource !== 'ephemeral-storage') return undefined;
  let sum = 0;
  for (const container of spec.containers) {
    const { requests, limits } = container.resources ?? {};
    const asked = kind === 'limits' ? limits?.[resource] : (requests?.[resource] ?? limits?.[resource]);
    if (asked === undefined) return undefined;
    sum += quantity(asked) ?? 0;
  }
  return sum;
}

const counted = (name: string): boolean => /^(count\/)?pods$|^(requests\.|limits\.)?(cpu|memory)$/.test(name);

/** A number as a quantity again: `500m`, `1Gi`, `3`. */
function quantityText(value: number, like: string): string {
  if (/cpu$/.test(like) && !Number.isInteger(value)) return `${Math.round(value * 1000)}m`;
  for (const [suffix, factor] of [
    ['Gi', 2 ** 30],
    ['Mi', 2 ** 20],
    ['Ki', 2 ** 10],
  ] as const)
    if (value >= factor && value % factor === 0) return `${value / factor}${suffix}`;
  return String(value);
}

/** What the pods of a namespace use of each resource that a quota limits. */
function quotaUsage(quota: KubeObject, pods: readonly Pod[]): Record<string, string> {
  const { hard } = quotaSchema.parse(quota).spec;
  const living = pods.filter((pod) => !isTerminal(pod));
  return Object.fromEntries(
    Object.keys(hard)
      .filter(counted)
      .map((name) => [
        name,
        quantityText(
          living.reduce((sum, pod) => sum + (usageOf(pod.spec, name) ?? 0), 0),
          name,
        ),
      ]),
  );
}

/** Why a quota refuses one more pod, in its own words; undefined when it does not. */
export function quotaRefusal(quota: KubeObject, pods: readonly Pod[], spec: PodSpec): string | undefined {
  const { hard } = quotaSchema.parse(quota).spec;
  const name = quota.metadata.name;
  const names = Object.keys(hard).filter(counted).sort();
  const unset = names.filter((one) => usageOf(spec, one) === undefined);
  if (unset.length > 0)
    return `failed quota: ${name}: must specify ${unset
      .map((one) => `${one} for: ${spec.containers.map((container) => container.name).join(',')}`)
      .join('; ')}`;
  const used = quotaUsage(quota, pods);
  const over = names.filter(
    (one) =>
      (usageOf(spec, one) ?? 0) + (quantity(used[one] ?? '0') ?? 0) > (quantity(hard[one] ?? 0) ?? Infinity),
  );
  if (over.length === 0) return undefined;
  const list = (text: (one: string) => string): string => over.map((one) => `${one}=${text(one)}`).join(',');
  return (
    `exceeded quota: ${name}, requested: ${list((one) => quantityText(usageOf(spec, one) ?? 0, one))}, ` +
    `used: ${list((one) => used[one] ?? '0')}, limited: ${list((one) => String(hard[one]))}`
  );
}
