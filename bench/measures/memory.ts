import { randomUUID } from 'node:crypto';
import { mkdir, open, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runChild } from '../child.ts';
import { ours } from '../report.ts';
import type { Stage } from '../stage.ts';
import { inTurns } from '../turns.ts';
import type { Measure } from './measure.ts';

const gigabyte = 1_000_000_000;

/** What the command needs of this machine for a run with 1 GB each way. */
export const memory: Measure = {
  name: 'memory',
  async run(stage) {
    const folder = await stage.folder('memory');
    const checkout = join(folder, 'checkout');
    await mkdir(checkout);
    await using big = await open(join(checkout, 'big'), 'w');
    await big.truncate(gigabyte);
    const stepsFile = join(folder, 'steps.tsv');
    await writeFile(stepsFile, 'look\tls -l big\n');
    const contenders = [{ name: ours, turn: () => thereAndBack(stage, folder, checkout, stepsFile) }];
    const series = await inTurns(stage, { name: '1 GB each way', count: 1 }, contenders);
    return [{ id: 'memory', title: 'a run with 1 GB each way, whole', series }];
  },
};

async function thereAndBack(stage: Stage, folder: string, checkout: string, stepsFile: string) {
  const outputs = join(folder, 'outputs');
  const flags = [
    ...['run', '--name', `bench ${randomUUID()}`, '--image', stage.image, '--quiet'],
    ...['--kubeconfig', stage.kubeconfig, '--namespace', stage.namespace],
    ...['--workdir', checkout, '--steps-file', stepsFile, '--outputs', outputs, '--collect', '/work/big'],
  ];
  const sample = await runChild([process.execPath, stage.command, ...flags], {
    environment: { XDG_STATE_HOME: folder },
    signal: stage.signal,
  });
  const { size } = await stat(join(outputs, 'work', 'big'));
  if (size !== gigabyte) throw new Error(`${size} bytes came back`);
  return sample;
}
