import type { OutgoingArchive, Place, RunIdentity, Sandbox } from '../executor/executor.ts';
import type { EndSwitch } from './end-switch.ts';
import type { RunJournal } from './journal/run-journal.ts';
import type { PhaseClock } from './phase-clock.ts';
import type { Reporter } from './reporter.ts';
import type { RunResult, StepResult } from './result-schema.ts';
import type { RunRequest } from './run-request.ts';
import type { Ending } from './status.ts';

/** What a run has from its beginning to its end. */
export interface RunContext {
  readonly request: RunRequest;
  readonly identity: RunIdentity;
  readonly reporter: Reporter;
  readonly phases: PhaseClock;
  readonly journal: RunJournal;
  /** Ends the run from outside its steps: a cancel, or a destination here that takes no more. */
  readonly halt: EndSwitch;
}

/*
 * A run passes through these states in this order and leaves out only the middle ones: each is made by the
 * phase that leads to it, and no phase can be entered from another state than the one before it.
 */

/** Its place is coming up; what is to be sent is being listed. */
export interface WaitingRun {
  readonly state: 'waiting';
  readonly context: RunContext;
  /** Null where there is nothing to send. Its rejection has ended the run already. */
  readonly archive: Promise<OutgoingArchive | null>;
}

/** Programs can be run in its place. */
export interface OpenRun {
  readonly state: 'open';
  readonly context: RunContext;
  readonly sandbox: Sandbox;
  readonly archive: Promise<OutgoingArchive | null>;
}

/** Checkout and shared steps are there. */
export interface LoadedRun {
  readonly state: 'loaded';
  readonly context: RunContext;
  readonly sandbox: Sandbox;
}

/** No step of it will be started any more. */
export interface SteppedRun {
  readonly state: 'stepped';
  readonly context: RunContext;
  readonly sandbox: Sandbox;
  readonly steps: readonly StepResult[];
  readonly ended: Ending | null;
}

/** Its outputs are here, as far as they could be had. */
export interface FetchedRun {
  readonly state: 'fetched';
  readonly context: RunContext;
  readonly sandbox: Sandbox;
  readonly steps: readonly StepResult[];
  readonly ended: Ending | null;
  readonly outputs: RunResult['outputs'];
}

/** Its place is gone, or kept, or given up. */
export interface ClosedRun {
  readonly state: 'closed';
  readonly context: RunContext;
  /** Null where none was made. */
  readonly place: ClosedPlace | null;
  readonly steps: readonly StepResult[];
  readonly ended: Ending | null;
  readonly outputs: RunResult['outputs'];
}

interface ClosedPlace {
  readonly place: Place;
  readonly kept: boolean;
  readonly deleted: boolean;
}
