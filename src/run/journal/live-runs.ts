import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readRecord } from './file-journal.ts';
import { isHeld } from './journal-lock.ts';

export interface LiveRun {
  /** The log's file, or null. */
  readonly log: string | null;
  isLive(): Promise<boolean>;
}

/** The runs of this name that a living process conducts, by the file journals in a folder. */
export async function liveRuns(folder: string, name: string): Promise<LiveRun[]> {
  const files = await readdir(folder).catch(() => []);
  const runs: LiveRun[] = [];
  for (const file of files.filter((one) => one.endsWith('.json'))) {
    const path = join(folder, file);
    const isLive = (): Promise<boolean> => isHeld(path.replace(/json$/, 'lock'));
    const record = await readRecord(path).catch(() => null);
    if (record?.run.name === name && (await isLive())) runs.push({ log: record.log, isLive });
  }
  return runs;
}
