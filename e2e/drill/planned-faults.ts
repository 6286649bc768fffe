import type { Rule } from '../relay/rules.ts';
import type { SeededRandom } from './random.ts';

export type Fault =
  | { readonly do: 'rule'; readonly rule: Rule }
  | { readonly do: 'cut'; readonly how: 'fin' | 'rst'; readonly kinds: readonly string[] }
  | { readonly do: 'stall'; readonly kinds: readonly string[] }
  | { readonly do: 'away'; readonly ms: number }
  /** Takes the run's place away. */
  | { readonly do: 'strike'; readonly how: string };

export interface PlannedFault {
  /** From the run's beginning, or from that of a step. */
  readonly from: 'run' | number;
  readonly ms: number;
  readonly fault: Fault;
}

const watches = ['watch-pods', 'watch-events'];
const reads = ['get-job', 'list-pods', 'list-events'];

/** Faults of a cluster that a run has to survive, and now and then one that it cannot. */
export function planFaults(random: SeededRandom, count: number, steps: number): PlannedFault[] {
  const faults = Array.from({ length: count }, () => planFault(random, steps));
  if (random.chance(0.15)) {
    const fault: Fault = { do: 'strike', how: random.chance(0.5) ? 'delete-pod' : 'evict-pod' };
    faults.push({ from: random.between(0, steps - 1), ms: random.between(0, 800), fault });
  }
  return faults;
}

function planFault(random: SeededRandom, steps: number): PlannedFault {
  const rule = (made: Rule): PlannedFault => ({ from: 'run', ms: 0, fault: { do: 'rule', rule: made } });
  const meanwhile = (fault: Fault): PlannedFault => ({
    from: random.between(0, steps - 1),
    ms: random.between(0, 2_500),
    fault,
  });
  const how = random.chance(0.5) ? 'fin' : 'rst';
  const exec = { kind: 'exec', times: 1, skip: random.between(0, steps + 4) };
  const other = { times: 1, skip: random.between(0, 2) };
  const once = { times: 1 };
  const choices: readonly [weight: number, make: () => PlannedFault][] = [
    [6, () => meanwhile({ do: 'cut', how, kinds: ['exec'] })],
    [3, () => rule({ do: 'cut', how, ...exec, at: { after: random.between(0, 30) } })],
    [4, () => rule({ do: 'cut', how, ...exec, at: { bytesUp: random.between(300, 60_000) } })],
    [6, () => rule({ do: 'cut', how, ...exec, at: { bytesDown: random.between(200, 150_000) } })],
    [1, () => rule({ do: 'stall', ...exec, at: { after: random.between(0, 3_000) } })],
    [1, () => rule({ do: 'stall', ...exec, at: { bytesDown: random.between(300, 100_000) } })],
    [2, () => rule({ do: 'throttle', ...exec, bytesPerSecond: random.between(60_000, 400_000) })],
    [3, () => rule({ do: 'idle', ...exec, ms: random.between(400, 3_000) })],
    [2, () => rule({ do: 'refuse', ...exec, status: random.pick([500, 503]), ...sometimesLater(random) })],
    [1, () => rule({ do: 'refuse', ...exec, status: 429, retryAfter: 1 })],
    [1, () => rule({ do: 'refuse', ...exec, status: 404, message: 'container not found ("run")' })],
    [2, () => rule({ do: 'reset', ...exec })],
    [3, () => rule({ do: 'lose', ...exec })],
    [1, () => rule({ do: 'delay', ...exec, ms: random.between(100, 2_000) })],
    [2, () => rule({ do: 'lose', kind: 'create-job', ...once })],
    [2, () => rule({ do: random.pick(['lose', 'reset']), kind: 'delete-job', ...once })],
    [1, () => rule({ do: 'reset', kind: random.pick(['create-job', 'create-networkpolicy']), ...once })],
    [1, () => rule({ do: 'lose', kind: 'create-networkpolicy', ...once })],
    [2, () => refusal(random, [...reads, 'create-job', 'delete-job', 'create-networkpolicy', ...watches])],
    [2, () => rule({ do: 'reset', kind: random.pick([...reads, ...watches]), ...other })],
    [1, () => rule({ do: 'lose', kind: random.pick(reads), ...other })],
    [1, () => rule({ do: 'delay', kind: [...reads, ...watches], ...other, ms: random.between(200, 2_000) })],
    [1, () => rule({ do: 'stall', kind: watches, ...other, at: { after: random.between(0, 2_000) } })],
    [2, () => rule({ do: 'cut', how, kind: watches, ...other, at: { after: random.between(0, 2_000) } })],
    [1, () => meanwhile({ do: 'stall', kinds: watches })],
    [1, () => meanwhile({ do: 'cut', how, kinds: [...watches, 'exec'] })],
    [1, () => meanwhile({ do: 'away', ms: random.between(500, 6_000) })],
  ];
  return weighted(random, choices)();

  function refusal(chance: SeededRandom, kinds: readonly string[]): PlannedFault {
    const status = chance.pick([429, 500, 503]);
    return rule({
      do: 'refuse',
      kind: chance.pick(kinds),
      ...other,
      skip: 0,
      status,
      ...sometimesLater(chance),
    });
  }
}

const sometimesLater = (random: SeededRandom): { readonly retryAfter?: number } =>
  random.chance(0.6) ? { retryAfter: random.between(1, 2) } : {};

export function weighted<T>(
  random: SeededRandom,
  choices: readonly (readonly [weight: number, value: T])[],
): T {
  let left = random.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, value] of choices) {
    left -= weight;
    if (left < 0) return value;
  }
  throw new Error('there is nothing to choose from');
}
