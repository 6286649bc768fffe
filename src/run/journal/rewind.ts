import { stat } from 'node:fs/promises';
import { badInput } from '../../base/errors.ts';
import type { StepResult } from '../result-schema.ts';
import type { JournalRecord } from './journal-record.ts';

/**
 * The record as it is where the log's file has lost what finished steps had written, as a run without `--resume`
 * in between makes it do. The place still has the log of each step, so all are followed again from the first on.
 * Only of a step that the runner had ended itself the place knows less than the record does: BadInput.
 */
export async function rewindIfLogIsShort(record: JournalRecord): Promise<JournalRecord> {
  const { log, logBytes, steps, ended } = record;
  if (log === null || logBytes === 0) return record;
  const size = await stat(log).then(
    (found) => found.size,
    () => 0,
  );
  if (size >= logBytes) return record;
  if (!steps.every(endedByItself) || (ended && ended.status !== 'failed')) {
    throw badInput(
      `--resume: the log ${log} has ${size} bytes, but the steps that ended had written ${logBytes}; put it back`,
    );
  }
  return { ...record, state: 'loaded', steps: [], logBytes: 0, ended: null, isOver: false, outputs: null };
}

const endedByItself = ({ status, exitCode, signal }: StepResult): boolean =>
  status === 'skipped' || (exitCode !== null && signal === null);
