import { ownSuccess } from '../contenders/own-run.ts';
import type { Sample } from '../report.ts';
import type { Stage } from '../stage.ts';
import { median } from '../statistics.ts';
import { inTurns, timed } from '../turns.ts';
import type { Measure } from './measure.ts';

const counts = [1, 4, 16];
/** They want no processor, so what is added is this program's and the cluster's own. */
const commands = ['sleep 1', 'sleep 1', 'sleep 1'];

/** The time of the steps of runs that go on at once, all in this process. */
export const atOnce: Measure = {
  name: 'at-once',
  async run(stage) {
    const contenders = counts.map((count) => ({
      name: `${count} run${count === 1 ? '' : 's'}`,
      turn: () => together(stage, count),
    }));
    const rounds = { name: 'at once', count: stage.rounds(2) };
    const title = `the steps (${commands.length} × 1 s) of a run, so many going on at once`;
    return [{ id: 'at-once', title, series: await inTurns(stage, rounds, contenders) }];
  },
};

async function together(stage: Stage, count: number): Promise<Sample> {
  const took: number[] = [];
  const { cpuMs } = await timed(async () => {
    const all = Array.from({ length: count }, () => ownSuccess(stage, { commands }));
    for (const { timings } of await Promise.all(all)) took.push(timings.stepsMs);
  });
  return { ms: median(took), ...(cpuMs === undefined ? {} : { cpuMs: cpuMs / count }) };
}
