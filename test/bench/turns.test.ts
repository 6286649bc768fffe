import { expect, it } from 'vitest';
import { ours } from '../../bench/report.ts';
import { inTurns } from '../../bench/turns.ts';
import { systemClock } from '../../src/base/clock.ts';

const stage = () => ({ clock: systemClock(), signal: new AbortController().signal, progress: () => {} });

/** Fails at the named calls, and else takes as many milliseconds as it had calls. */
function contender(name: string, order: string[], ...failing: number[]) {
  let calls = 0;
  const turn = async () => {
    calls += 1;
    order.push(name);
    if (failing.includes(calls)) throw new Error(`call ${calls} broke\nat its end`);
    return { ms: calls };
  };
  return { name, turn };
}

it('gives each contender a turn a round, in the one order and then in the other', async () => {
  const order: string[] = [];
  const contenders = [contender(ours, order), contender('other', order)];
  const [own, other] = await inTurns(stage(), { name: 'x', count: 3 }, contenders);
  expect(order).toEqual([ours, 'other', 'other', ours, ours, 'other']);
  expect(own).toEqual({ contender: ours, samples: [{ ms: 1 }, { ms: 2 }, { ms: 3 }] });
  expect(other).toEqual({ contender: 'other', samples: [{ ms: 1 }, { ms: 2 }, { ms: 3 }] });
});

it("does another's failed turn again, and tells it", async () => {
  const contenders = [contender(ours, []), contender('other', [], 2, 3)];
  const [, other] = await inTurns(stage(), { name: 'x', count: 2 }, contenders);
  expect(other).toEqual({
    contender: 'other',
    samples: [{ ms: 1 }, { ms: 4 }],
    repeated: ['call 2 broke', 'call 3 broke'],
  });
});

it('gives up with who fails again and again', async () => {
  const other = contender('other', [], 1, 2, 3, 4);
  await expect(inTurns(stage(), { name: 'x', count: 2 }, [other])).rejects.toThrow('call 4 broke');
});

it("takes this program's failure as one", async () => {
  const own = contender(ours, [], 1);
  await expect(inTurns(stage(), { name: 'x', count: 2 }, [own])).rejects.toThrow('call 1 broke');
});
