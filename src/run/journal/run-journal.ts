import { createHmac } from 'node:crypto';
import { resolve } from 'node:path';
import { badInput, messageOf, RunnerError } from '../../base/errors.ts';
import type { RunIdentity } from '../../executor/executor.ts';
import { newRunId } from '../run-id.ts';
import type { RunRequest } from '../run-request.ts';
import { checkFingerprint, fingerprintOf } from './fingerprint.ts';
import type { HeldJournal } from './journal.ts';
import { type JournalRecord, type JournalState, journalStates } from './journal-record.ts';
import { rewindIfLogIsShort } from './rewind.ts';

/** What changes while a run goes on. */
export type Progress = Partial<
  Pick<
    JournalRecord,
    'state' | 'phase' | 'spent' | 'place' | 'steps' | 'logBytes' | 'ended' | 'isOver' | 'outputs' | 'warnings'
  >
>;

/** A run's own side of its journal: how far it has come, here or in the process before. */
export class RunJournal implements AsyncDisposable {
  readonly isResumed: boolean;
  readonly #request: RunRequest;
  readonly #left: JournalRecord | null;
  #held: HeldJournal | undefined;
  #record: JournalRecord;
  /** Why the run cannot be taken up again; null while it can, or nobody asked for it. */
  #trouble: string | null;
  /** One write at a time; what comes while one is under way is written together by the next. */
  #writing: Promise<unknown> = Promise.resolve();
  #next: Promise<string | null> | undefined;

  private constructor(request: RunRequest, record: JournalRecord, { held, left, trouble }: Taken) {
    this.#request = request;
    this.#record = record;
    this.isResumed = request.resume === true;
    this.#held = held;
    this.#left = left;
    this.#trouble = trouble;
  }

  /** Rejects with BadInput where the run is under way, or is to be taken up and cannot be. Writes no record. */
  static async take(request: RunRequest): Promise<RunJournal> {
    const taken = await take(request);
    try {
      const record = request.resume ? await recordLeft(request, taken.left) : await newRecord(request);
      return new RunJournal(request, record, taken);
    } catch (error) {
      await taken.held?.[Symbol.asyncDispose]();
      throw error;
    }
  }

  get record(): JournalRecord {
    return this.#record;
  }

  get identity(): RunIdentity {
    const { id, name, runner } = this.#record.run;
    return { id, name, runner: runner ?? undefined };
  }

  get trouble(): string | null {
    return this.#trouble;
  }

  hasReached(state: JournalState): boolean {
    return journalStates.indexOf(this.#record.state) >= journalStates.indexOf(state);
  }

  /** The same for the same step of the same run, whoever asks. */
  nonce(step: number): string {
    return createHmac('sha256', this.#record.key).update(`step ${step}`).digest('hex').slice(0, 32);
  }

  /**
   * Never rejects: a run whose progress cannot be kept goes on, but a record that is behind what was sent to the
   * place must not be found by anybody. Resolves to why there is none any more, the first time.
   */
  save(progress: Progress): Promise<string | null> {
    this.#record = { ...this.#record, ...progress, savedAt: this.#request.clock.date().toISOString() };
    if (!this.#next) {
      this.#next = this.#writing.then(() => this.#write());
      this.#writing = this.#next;
    }
    return this.#next;
  }

  async #write(): Promise<string | null> {
    this.#next = undefined;
    try {
      await this.#held?.save(this.#record);
      return null;
    } catch (error) {
      await this.#held?.remove().catch(() => {});
      this.#trouble = noResume(error);
      await this.#letGo();
      return this.#trouble;
    }
  }

  /** The run is over. What is left of it can be taken up again; what an earlier run of this name left, too. */
  async finish(end: 'done' | 'left' | 'name taken'): Promise<void> {
    await this.#writing;
    if (end === 'left') return;
    const restored = end === 'name taken' ? this.#left : null;
    await (restored ? this.#held?.save(restored) : this.#held?.remove())?.catch(() => {});
  }

  /** Whether a run of this name was left before this one began, which is another. */
  get hidesAnother(): boolean {
    return this.#left !== null && !this.isResumed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing;
    await this.#letGo();
  }

  async #letGo(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    await held?.[Symbol.asyncDispose]();
  }
}

interface Taken {
  readonly held: HeldJournal | undefined;
  readonly left: JournalRecord | null;
  readonly trouble: string | null;
}

/** A new run goes on without a journal where none can be kept. */
async function take({ journal, resume = false }: RunRequest): Promise<Taken> {
  if (!journal) return { held: undefined, left: null, trouble: null };
  let held: HeldJournal | undefined;
  try {
    held = await journal.hold();
    const left = await held.read().catch((error) => (resume ? Promise.reject(error) : null));
    return { held, left, trouble: null };
  } catch (error) {
    await held?.[Symbol.asyncDispose]();
    if (error instanceof RunnerError && error.code === 'BadInput') throw error;
    if (resume) throw badInput(`--resume: ${messageOf(error)}`, error);
    return { held: undefined, left: null, trouble: noResume(error) };
  }
}

const noResume = (error: unknown): string =>
  `this run cannot be taken up with --resume if its runner is killed: ${messageOf(error)}`;

async function newRecord(request: RunRequest): Promise<JournalRecord> {
  const { clock, random, run } = request;
  const hex = (): string => Buffer.from(random(16)).toString('hex');
  const now = clock.date().toISOString();
  return {
    version: 1,
    run: { id: newRunId(random), name: run.name, runner: run.runner ?? null },
    key: hex(),
    ...(request.journal ? await fingerprintOf(request, hex()) : { salt: '', inputs: '', secrets: {} }),
    log: logFile(request),
    startedAt: now,
    savedAt: now,
    state: 'waiting',
    phase: 'wait',
    spent: { wait: 0, upload: 0, steps: 0, download: 0, cleanup: 0 },
    place: null,
    steps: [],
    logBytes: 0,
    ended: null,
    isOver: false,
    outputs: null,
    warnings: [],
  };
}

async function recordLeft(request: RunRequest, left: JournalRecord | null): Promise<JournalRecord> {
  const name = JSON.stringify(request.run.name);
  if (left === null) {
    throw badInput(
      `--resume: no runner left the run ${name} unfinished here; start it without --resume, or resume it with the same user, cluster and namespace on the machine where it was started`,
    );
  }
  await checkFingerprint(request, left);
  if (left.log !== logFile(request)) {
    throw badInput(
      `--resume: the run's log is ${left.log === null ? 'no file' : left.log}; give the same --log`,
    );
  }
  // of a log that is no file the earlier part is out of reach
  return left.log === null
    ? { ...left, logBytes: 0, steps: left.steps.map((step) => ({ ...step, log: null })) }
    : rewindIfLogIsShort(left);
}

const logFile = ({ log }: RunRequest): string | null => (log?.kind === 'file' ? resolve(log.path) : null);
