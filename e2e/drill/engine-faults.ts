import type { Rule } from '../relay/rules.ts';
import { type Fault, type PlannedFault, weighted } from './planned-faults.ts';
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
  const rule = (made: Rule): PlannedFault => ({ from: 'run', ms: 0, fault: { do: 'rule', rule: made } });
  const meanwhile = (fault: Fault): PlannedFault => ({
    from: random.between(0, steps - 1),
    ms: random.between(0, 2_500),
    fault,
  });
  const how = random.chance(0.5) ? 'fin' : 'rst';
  const exec = { kind: 'exec', times: 1, skip: random.between(0, steps + 4) };
  const made = { ...exec, kind: 'create-exec' };
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
    [2, () => rule({ do: 'refuse', ...random.pick([exec, made]), status: 503 })],
    [3, () => rule({ do: 'reset', ...random.pick([exec, made]) })],
    [4, () => rule({ do: 'lose', ...random.pick([exec, made]) })],
    [1, () => rule({ do: 'delay', ...random.pick([exec, made]), ms: random.between(100, 2_000) })],
    [3, () => rule({ do: random.pick(['lose', 'reset']), kind: random.pick(writes), ...once })],
    [2, () => rule({ do: 'refuse', kind: random.pick([...reads, ...watches]), ...once, status: 503 })],
    [2, () => rule({ do: 'reset', kind: random.pick([...reads, ...watches]), ...other })],
    [1, () => rule({ do: 'lose', kind: random.pick(reads), ...other })],
    [1, () => rule({ do: 'delay', kind: [...reads, ...watches], ...other, ms: random.between(200, 2_000) })],
    [1, () => rule({ do: 'stall', kind: watches, ...other, at: { after: random.between(0, 2_000) } })],
    [2, () => rule({ do: 'cut', how, kind: watches, ...other, at: { after: random.between(0, 2_000) } })],
    [1, () => meanwhile({ do: 'stall', kinds: watches })],
    [1, () => meanwhile({ do: 'cut', how, kinds: [...watches, 'exec'] })],
    [2, () => meanwhile({ do: 'away', ms: random.between(500, 6_000) })],
  ];
  return weighted(random, choices)();
}
