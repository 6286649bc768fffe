import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runChild } from '../child.ts';
import { ours } from '../report.ts';
import type { Stage } from '../stage.ts';
import { inTurns } from '../turns.ts';
import type { Measure } from './measure.ts';

/** The command, from nothing to its end. */
export const startUp: Measure = {
  name: 'start-up',
  async run(stage) {
    const stepsFile = join(await stage.folder('start-up'), 'steps.tsv');
    await writeFile(stepsFile, 'test\ttrue\n');
    const own = [process.execPath, stage.command];
    const dryRun = ['run', '--name', 'dry', '--steps-file', stepsFile, '--dry-run'];
    const kubectlDryRun = ['create', 'job', 'dry', '--image', stage.image, '--dry-run=client', '-o', 'yaml'];
    const node = { 'node alone': [process.execPath, '-e', '0'] };
    const help = { [ours]: [...own, '--help'], kubectl: [stage.kubectl, '--help'], ...node };
    const dry = { [ours]: [...own, ...dryRun], kubectl: [stage.kubectl, ...kubectlDryRun], ...node };
    return [
      {
        id: 'help',
        title: 'the start of the command: --help',
        series: await compared(stage, '--help', help),
      },
      {
        id: 'dry-run',
        title: 'the start of the command: run --dry-run',
        series: await compared(stage, '--dry-run', dry),
      },
    ];
  },
};

function compared(stage: Stage, name: string, commands: Readonly<Record<string, readonly string[]>>) {
  const contenders = Object.entries(commands).map(([contender, argv]) => ({
    name: contender,
    turn: () => runChild(argv, { environment: { KUBECONFIG: stage.kubeconfig }, signal: stage.signal }),
  }));
  return inTurns(stage, { name, count: stage.rounds(8), warmUp: true }, contenders);
}
