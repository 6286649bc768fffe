import { createHash } from 'node:crypto';
import { open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { badInput, messageOf, RunnerError } from '../../base/errors.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { errorCodeOf } from '../../base/system-error.ts';
import { writeWholeFile } from '../../base/whole-file.ts';
import { writeFailed } from '../destination.ts';
import type { HeldJournal, Journal } from './journal.ts';
import { type ProcessMark, takeLock } from './journal-lock.ts';
import { type JournalRecord, journalSchema } from './journal-record.ts';

export interface FileJournalOptions {
  /** Holds the journals of all runs; made if it is missing. */
  readonly folder: string;
  /** Which cluster, in any words that are the same each time. */
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  /** Who holds it: this process. */
  readonly holder: ProcessMark;
}

/** A journal in a file of its own that only its owner can read. */
export function fileJournal({ folder, cluster, namespace, name, holder }: FileJournalOptions): Journal {
  const key = JSON.stringify([cluster, namespace, name]);
  const stem = join(folder, createHash('sha256').update(key).digest('hex').slice(0, 32));
  return { hold: () => hold(stem, holder, `the run ${JSON.stringify(name)}`) };
}

async function hold(stem: string, holder: ProcessMark, what: string): Promise<HeldJournal> {
  const path = `${stem}.json`;
  const lock = `${stem}.lock`;
  await named(path, () => makeFolder(dirname(path), 0o700));
  await named(lock, () => takeLock(lock, holder, what));
  return {
    read: () => readRecord(path),
    save: (record) => named(path, () => replace(path, `${JSON.stringify(record)}\n`)),
    remove: () => named(path, () => rm(path, { force: true })),
    [Symbol.asyncDispose]: () => rm(lock, { force: true }),
  };
}

/** Null where there is none; rejects with BadInput where it cannot be read. */
export async function readRecord(path: string): Promise<JournalRecord | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return null;
    throw badInput(`the run's journal ${path} cannot be read: ${messageOf(error)}`, error);
  }
  try {
    return journalSchema.parse(JSON.parse(text));
  } catch (error) {
    throw badInput(
      `the run's journal ${path} is of another version of this program, or damaged; remove it`,
      error,
    );
  }
}

/** Only one process at a time comes here, so the temporary name needs nothing of its own. */
async function replace(path: string, text: string): Promise<void> {
  await writeWholeFile(path, text, { mode: 0o600, id: 'new' });
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function named<T>(path: string, work: () => Promise<T>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw error instanceof RunnerError ? error : writeFailed(path, error);
  }
}
