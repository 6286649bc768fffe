import type { Rule } from '../relay/rules.ts';
import { chosen, type Fault, faultChoices, type PlannedFault } from './fault-choices.ts';
import type { SeededRandom } from './random.ts';

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
  const { rule, meanwhile, exec, ofExecs, ofLooks } = faultChoices(random, steps, { reads, watches });
  const once = { times: 1 };
  const refused = [...reads, 'create-job', 'delete-job', 'create-networkpolicy', ...watches];
  return chosen(random, [
    ...ofExecs,
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
    [2, () => rule(refusal(random, refused))],
    ...ofLooks,
    [1, () => meanwhile({ do: 'away', ms: random.between(500, 6_000) })],
  ]);
}

function refusal(random: SeededRandom, kinds: readonly string[]): Rule {
  const status = random.pick([429, 500, 503]);
  const kind = random.pick(kinds);
  return { do: 'refuse', kind, times: 1, skip: 0, status, ...sometimesLater(random) };
}

const sometimesLater = (random: SeededRandom): { readonly retryAfter?: number } =>
  random.chance(0.6) ? { retryAfter: random.between(1, 2) } : {};
