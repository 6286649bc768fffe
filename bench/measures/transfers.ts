import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../src/base/errors.ts';
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
  async run(stage) {
    await using place = await openPlace(stage);
    return await transferRows(stage, set, {
      ways: waysOfTransfer(stage, place),
      inPlace: (script) => bareExec(stage.bare, place.address, ['sh', '-c', script]),
    });
  },
}));

export interface TransferSetting {
  readonly ways: readonly Way[];
  /** Runs a shell program where the files go. */
  readonly inPlace: (script: string) => Promise<unknown>;
}

/** The rows of a file set's way there and back. */
export async function transferRows(
  stage: Pick<Stage, 'folder' | 'clock' | 'signal' | 'progress' | 'rounds'>,
  set: FileSet,
  { ways, inPlace }: TransferSetting,
): Promise<Row[]> {
  const folder = await stage.folder(set.id);
  const source = join(folder, 'source');
  await writeFileSet(set, source);
  const rounds = { count: stage.rounds(set.files > 10_000 ? 2 : 3) };

  // Many files are not deleted between turns: ext4 looks twice at each inode that was freed in the last half minute, so
  // that whoever makes thousands of files after that is slower by seconds. Large ones would fill the disk.
  const isKept = set.files > 1;
  let turns = 0;
  const sending = async (way: Way) => {
    if (!isKept) await inPlace('rm -rf /work/.sent');
    const sample = await way.send(source);
    turns += 1;
    await named(way, inPlace(`mkdir -p ${sentTo(turns)} && mv /work/* ${sentTo(turns)}/`));
    await named(way, inPlace(checkInPod(set, sentTo(turns))));
    return sample;
  };
  const up = ways.map((way) => ({ name: way.name, turn: () => sending(way) }));
  const upSeries = await inTurns(stage, { name: `${set.title} up`, ...rounds }, up);

  await inPlace(`cp -R ${sentTo(turns)}/. /outputs/`);
  const fetching = async (way: Way) => {
    turns += 1;
    const landing = join(folder, `landing-${turns}`);
    await mkdir(landing);
    const sample = await way.fetch(landing);
    await named(way, checkFileSet(set, landing));
    if (!isKept) await rm(landing, { recursive: true });
    return sample;
  };
  const down = ways.map((way) => ({ name: way.name, turn: () => fetching(way) }));
  const downSeries = await inTurns(stage, { name: `${set.title} down`, ...rounds }, down);

  await rm(folder, { recursive: true });
  await inPlace('rm -rf /work/.sent /outputs/*');
  return [
    { id: `up-${set.id}`, title: `${set.title} up, disk to disk`, series: upSeries },
    { id: `down-${set.id}`, title: `${set.title} down, disk to disk`, series: downSeries },
  ];
}

const sentTo = (turn: number): string => `/work/.sent/${turn}`;

/** Says by whose way something went wrong. */
async function named<T>(way: Way, check: Promise<T>): Promise<T> {
  try {
    return await check;
  } catch (error) {
    throw new Error(`${way.name}: ${messageOf(error)}`, { cause: error });
  }
}
