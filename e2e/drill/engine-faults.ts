import { chosen, type Fault, faultChoices, type PlannedFault } from './fault-choices.ts';
import type { SeededRandom } from './random.ts';

const watches = ['events'];
const reads = ['get-container', 'list-containers', 'get-network', 'get-image', 'get-exec'];
const writes = [
  'create-container',
  'start-container',
  'delete-container',
  'create-network',
  'delete-network',
];
const strikes = ['kill', 'out of memory', 'remove'];

/** Faults of an engine that a run has to survive, and now and then one that it cannot. */
export function planEngineFaults(random: SeededRandom, count: number, steps: number): PlannedFault[] {
  const faults = Array.from({ length: count }, () => planFault(random, steps));
  if (random.chance(0.2)) {
    const fault: Fault = { do: 'strike', how: random.pick(strikes) };
    faults.push({ from: random.between(0, steps - 1), ms: random.between(0, 800), fault });
  }
  return faults;
}

function planFault(random: SeededRandom, steps: number): PlannedFault {
  const { rule, meanwhile, exec, ofExecs, ofLooks } = faultChoices(random, steps, { reads, watches });
  const made = { ...exec, kind: 'create-exec' };
  const once = { times: 1 };
  return chosen(random, [
    ...ofExecs,
    [2, () => rule({ do: 'refuse', ...random.pick([exec, made]), status: 503 })],
    [3, () => rule({ do: 'reset', ...random.pick([exec, made]) })],
    [4, () => rule({ do: 'lose', ...random.pick([exec, made]) })],
    [1, () => rule({ do: 'delay', ...random.pick([exec, made]), ms: random.between(100, 2_000) })],
    [3, () => rule({ do: random.pick(['lose', 'reset']), kind: random.pick(writes), ...once })],
    [2, () => rule({ do: 'refuse', kind: random.pick([...reads, ...watches]), ...once, status: 503 })],
    ...ofLooks,
    [2, () => meanwhile({ do: 'away', ms: random.between(500, 6_000) })],
  ]);
}
