import { withDeadline } from '../src/base/deadline.ts';
import { messageOf } from '../src/base/errors.ts';
import { ours, type Sample, type Series } from './report.ts';
import type { Stage } from './stage.ts';

export interface Contender {
  readonly name: string;
  /** One turn. It times itself, so what it does before and after does not count. */
  turn(): Promise<Sample>;
}

export interface Rounds {
  /** For messages. */
  readonly name: string;
  readonly count: number;
  /** Whether a round that does not count goes before. */
  readonly warmUp?: boolean;
}

const turnMs = 180_000;
/** An exec can be told as a success before its last bytes have come; who does not see to that, fails now and then. */
const mostRepeated = 3;

/**
 * Each contender once a round, in the one order and then in the other (A B, B A, …), so that neither a machine
 * that is busy for a while nor what one leaves behind for the next falls on one alone. A turn that fails is done
 * again and told; one of this program is not.
 */
export async function inTurns(
  stage: Pick<Stage, 'clock' | 'signal' | 'progress'>,
  rounds: Rounds,
  contenders: readonly Contender[],
): Promise<Series[]> {
  const samples = new Map<string, Sample[]>(contenders.map(({ name }) => [name, []]));
  const repeated = new Map<string, string[]>(contenders.map(({ name }) => [name, []]));
  for (let round = rounds.warmUp ? -1 : 0; round < rounds.count; round++) {
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
      stage.signal.throwIfAborted();
      const name = `${rounds.name}, ${contender.name}`;
      stage.progress(`${name}, ${round < 0 ? 'warming up' : `${round + 1} of ${rounds.count}`}`);
      const deadline = { name, ms: turnMs };
      const turn = () => withDeadline(stage.clock, deadline, stage.signal, () => contender.turn());
      const sample = await untilDone(contender, turn, repeated.get(contender.name) ?? [], stage.signal);
      if (round >= 0) samples.get(contender.name)?.push(sample);
    }
  }
  return contenders.map(({ name }) => {
    const why = repeated.get(name) ?? [];
    const again = why.length > 0 ? { repeated: why } : {};
    return { contender: name, samples: samples.get(name) ?? [], ...again };
  });
}

async function untilDone(
  { name }: Contender,
  turn: () => Promise<Sample>,
  repeated: string[],
  signal: AbortSignal,
): Promise<Sample> {
  for (;;) {
    try {
      return await turn();
    } catch (error) {
      signal.throwIfAborted();
      if (name === ours || repeated.length === mostRepeated) throw error;
      repeated.push(messageOf(error).trim().split('\n')[0] ?? '');
    }
  }
}

/** The time that the work took, and the CPU time of this process meanwhile. */
export async function timed(work: () => Promise<unknown>): Promise<Sample> {
  const cpu = process.cpuUsage();
  const began = performance.now();
  await work();
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  return { ms, cpuMs: (user + system) / 1000 };
}

/** For a turn of several of the same: what one of them took. */
export const shareOf = ({ ms, cpuMs }: Sample, count: number): Sample => ({
  ms: ms / count,
  ...(cpuMs === undefined ? {} : { cpuMs: cpuMs / count }),
});
