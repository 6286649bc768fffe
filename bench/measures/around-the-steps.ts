import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BareJob } from '../contenders/bare-job.ts';
import { ownSuccess } from '../contenders/own-run.ts';
import { ours, type Sample } from '../report.ts';
import type { Stage } from '../stage.ts';
import { inTurns, timed } from '../turns.ts';
import type { Measure } from './measure.ts';

/** Everything but the step of a run of one, with a small checkout and a small output. */
export const aroundTheSteps: Measure = {
  name: 'around',
  async run(stage) {
    const folder = await stage.folder('around');
    const checkout = join(folder, 'checkout');
    await mkdir(checkout);
    await writeFile(join(checkout, 'README.md'), 'a small checkout\n');
    const contenders = [
      { name: ours, turn: () => withoutItsStep(stage, checkout, join(folder, 'outputs')) },
      { name: 'bare Job', turn: () => madeAndRemoved(stage) },
    ];
    const rounds = { name: 'around the steps', count: stage.rounds(4) };
    const title = 'all but the step of a run of 1; a Job to ready and to gone';
    return [{ id: 'around-the-steps', title, series: await inTurns(stage, rounds, contenders) }];
  },
};

async function withoutItsStep(stage: Stage, checkout: string, outputs: string): Promise<Sample> {
  await rm(outputs, { recursive: true, force: true });
  let stepsMs = 0;
  const whole = await timed(async () => {
    const { timings } = await ownSuccess(stage, { commands: ['cp README.md /outputs/'], checkout, outputs });
    stepsMs = timings.stepsMs;
  });
  return { ...whole, ms: whole.ms - stepsMs };
}

async function madeAndRemoved({ bare, image }: Stage): Promise<Sample> {
  const job = new BareJob(bare, image);
  const made = await timed(() => job.create());
  const removed = await timed(() => job.remove());
  return { ms: made.ms + removed.ms, cpuMs: (made.cpuMs ?? 0) + (removed.cpuMs ?? 0) };
}
