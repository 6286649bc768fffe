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

export type FaultChoice = readonly [weight: number, make: () => PlannedFault];

/** Kinds of requests, as the relay before a place tells them apart. */
interface PlaceKinds {
  readonly reads: readonly string[];
  readonly watches: readonly string[];
}

/** What one fault of any place can be, and what a place's own are made of. */
export function faultChoices(random: SeededRandom, steps: number, { reads, watches }: PlaceKinds) {
  const rule = (made: Rule): PlannedFault => ({ from: 'run', ms: 0, fault: { do: 'rule', rule: made } });
  const meanwhile = (fault: Fault): PlannedFault => ({
    from: random.between(0, steps - 1),
    ms: random.between(0, 2_500),
    fault,
  });
  const how = random.chance(0.5) ? 'fin' : 'rst';
  const exec = { kind: 'exec', times: 1, skip: random.between(0, steps + 4) };
  const other = { times: 1, skip: random.between(0, 2) };
  const ofExecs: readonly FaultChoice[] = [
    [6, () => meanwhile({ do: 'cut', how, kinds: ['exec'] })],
    [3, () => rule({ do: 'cut', how, ...exec, at: { after: random.between(0, 30) } })],
    [4, () => rule({ do: 'cut', how, ...exec, at: { bytesUp: random.between(300, 60_000) } })],
    [6, () => rule({ do: 'cut', how, ...exec, at: { bytesDown: random.between(200, 150_000) } })],
    [1, () => rule({ do: 'stall', ...exec, at: { after: random.between(0, 3_000) } })],
    [1, () => rule({ do: 'stall', ...exec, at: { bytesDown: random.between(300, 100_000) } })],
    [2, () => rule({ do: 'throttle', ...exec, bytesPerSecond: random.between(60_000, 400_000) })],
    [3, () => rule({ do: 'idle', ...exec, ms: random.between(400, 3_000) })],
  ];
  const ofLooks: readonly FaultChoice[] = [
    [2, () => rule({ do: 'reset', kind: random.pick([...reads, ...watches]), ...other })],
    [1, () => rule({ do: 'lose', kind: random.pick(reads), ...other })],
    [1, () => rule({ do: 'delay', kind: [...reads, ...watches], ...other, ms: random.between(200, 2_000) })],
    [1, () => rule({ do: 'stall', kind: watches, ...other, at: { after: random.between(0, 2_000) } })],
    [2, () => rule({ do: 'cut', how, kind: watches, ...other, at: { after: random.between(0, 2_000) } })],
    [1, () => meanwhile({ do: 'stall', kinds: watches })],
    [1, () => meanwhile({ do: 'cut', how, kinds: [...watches, 'exec'] })],
  ];
  return { rule, meanwhile, exec, ofExecs, ofLooks };
}

/** One of them, by weight. */
export function chosen(random: SeededRandom, choices: readonly FaultChoice[]): PlannedFault {
  let left = random.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, make] of choices) {
    left -= weight;
    if (left < 0) return make();
  }
  throw new Error('there is nothing to choose from');
}
