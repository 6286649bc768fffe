import { once } from 'node:events';
import { CancelSource } from '../../src/run/cancel-source.ts';
import { BareJob } from '../contenders/bare-job.ts';
import { ownRun } from '../contenders/own-run.ts';
import { ours, type Sample } from '../report.ts';
import type { Stage } from '../stage.ts';
import { inTurns, timed } from '../turns.ts';
import type { Measure } from './measure.ts';

/** How long the step has been running by then. */
const intoTheStepMs = 300;

/** From the signal to a run whose pod is gone. */
export const cancel: Measure = {
  name: 'cancel',
  async run(stage) {
    const contenders = [
      { name: ours, turn: () => cancelled(stage) },
      { name: 'bare Job', turn: () => removed(stage) },
    ];
    const rounds = { name: 'cancel', count: stage.rounds(3) };
    const title = 'from a cancel in a step, or a deletion, to the pod gone';
    return [{ id: 'cancel', title, series: await inTurns(stage, rounds, contenders) }];
  },
};

async function cancelled(stage: Stage): Promise<Sample> {
  const source = new CancelSource();
  const started = new AbortController();
  const run = ownRun(stage, {
    commands: ['sleep 600'],
    cancel: source,
    onEvent: ({ type }) => {
      if (type === 'step-started') started.abort();
    },
  });
  await Promise.race([once(started.signal, 'abort'), run]);
  await stage.clock.sleep(intoTheStepMs, stage.signal);
  return timed(async () => {
    source.cancel('interrupt');
    const { status, job, reason } = await run;
    if (status !== 'cancelled' || !job?.deleted)
      throw new Error(`the run was not cancelled: ${reason?.message}`);
  });
}

async function removed({ bare, image }: Stage): Promise<Sample> {
  const job = new BareJob(bare, image);
  await job.create();
  return timed(() => job.remove());
}
