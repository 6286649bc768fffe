import type { JournalRecord } from './journal-record.ts';

/** Keeps one run's record where a later process finds it. */
export interface Journal {
  /** Rejects with BadInput while another living process holds it, and with LocalWriteFailed where nothing can be kept. */
  hold(): Promise<HeldJournal>;
}

/** A journal that no other process can hold until this is disposed of. */
export interface HeldJournal extends AsyncDisposable {
  /** What the process before left; null where it left nothing. Rejects with BadInput where that cannot be read. */
  read(): Promise<JournalRecord | null>;
  /** Replaces the record, whole or not at all; on the disk when this resolves. Rejects with LocalWriteFailed. */
  save(record: JournalRecord): Promise<void>;
  remove(): Promise<void>;
}
