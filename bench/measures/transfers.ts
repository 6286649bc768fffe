import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bareExec } from '../contenders/bare-exec.ts';
import { openPlace } from '../contenders/own-executor.ts';
import { type Way, waysOfTransfer } from '../contenders/transfers.ts';
import { checkFileSet, checkInPod, type FileSet, fileSets, writeFileSet } from '../file-set.ts';
import type { Row } from '../report.ts';
import type { Stage } from '../stage.ts';
import { inTurns } from '../turns.ts';
import type { Measure } from './measure.ts';

/** Files from a disk here to one there and back. The disk's cache is warm, as it is in a checkout just made. */
export const transfers: readonly Measure[] = fileSets.map((set) => ({
  name: `files-${set.id}`,
  run: (stage) => transfersOf(stage, set),
}));

async function transfersOf(stage: Stage, set: FileSet): Promise<Row[]> {
  const folder = await stage.folder(set.id);
  const source = join(folder, 'source');
  const landing = join(folder, 'landing');
  await writeFileSet(set, source);
  await using place = await openPlace(stage);
  const inPod = (script: string): Promise<void> => bareExec(stage.bare, place.address, ['sh', '-c', script]);
  const ways = waysOfTransfer(stage, place);
  const rounds = { count: stage.rounds(set.files > 10_000 ? 2 : 3) };

  const sending = async (way: Way) => {
    await inPod('rm -rf /work/* /work/.[!.]*');
    const sample = await way.send(source);
    await inPod(checkInPod(set, '/work'));
    return sample;
  };
  const up = ways.map((way) => ({ name: way.name, turn: () => sending(way) }));
  const upSeries = await inTurns(stage, { name: `${set.title} up`, ...rounds }, up);

  await inPod('cp -R /work/. /outputs/ && rm -rf /work/*');
  const fetching = async (way: Way) => {
    await rm(landing, { recursive: true, force: true });
    await mkdir(landing);
    const sample = await way.fetch(landing);
    await checkFileSet(set, landing);
    return sample;
  };
  const down = ways.map((way) => ({ name: way.name, turn: () => fetching(way) }));
  const downSeries = await inTurns(stage, { name: `${set.title} down`, ...rounds }, down);

  await rm(folder, { recursive: true });
  return [
    { id: `up-${set.id}`, title: `${set.title} up, disk to disk`, series: upSeries },
    { id: `down-${set.id}`, title: `${set.title} down, disk to disk`, series: downSeries },
  ];
}
