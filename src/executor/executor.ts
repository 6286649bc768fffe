/**
 * The contract between a run and the place where it runs. A run knows nothing else of Kubernetes or of
 * containers; an executor knows nothing of logs, masking, results or timeouts of steps.
 *
 * Trouble with the place itself (pod gone, connection lost for good, image unsuitable, …) is always a thrown
 * RunnerError, never a verdict.
 */

export interface Executor {
  /**
   * Makes the place of one run and resolves when a program has been run in it. Whatever was made is
   * removed again when this rejects, also by an abort; what could not be is told by `observer.leftover`.
   */
  open(request: OpenRequest, observer: Observer, signal: AbortSignal): Promise<Sandbox>;

  /**
   * Takes up the place that an earlier process opened for this very run and left; a step may be running in it.
   * Rejects with NotFound where there is none (any more); what is another run's is not touched. Like `open` it
   * leaves nothing behind when it rejects, with one exception: a place that could not be reached stays as it is,
   * and `observer.leftover` tells so.
   */
  adopt(request: OpenRequest, observer: Observer, signal: AbortSignal): Promise<Sandbox>;
}

export interface RunIdentity {
  /** Random, new for each run. */
  readonly id: string;
  /** Any text but an empty one. */
  readonly name: string;
  /** The DID that the run is for. */
  readonly runner: string | undefined;
}

export interface OpenRequest {
  readonly run: RunIdentity;
  readonly image: string;
  /** Names only, never values: kept beside the run so that `attach` knows what it must mask. */
  readonly secretNames: readonly string[];
  readonly limits: RunLimits;
  /** Leave the place standing after the run. */
  readonly keep: boolean;
}

/** All in milliseconds. */
export interface RunLimits {
  /** How long the place may take to come up. */
  readonly readyMs: number;
  /** How long all the steps may take. */
  readonly stepsMs: number;
  /** How long the place outlives a runner that gives no sign of life. */
  readonly orphanMs: number;
  /** Between TERM and KILL of a step. */
  readonly graceMs: number;
}

/** Hears what happens to the place. Calls return at once and never throw. */
export interface Observer {
  /** What the run waits for now; null when it waits no more. Told on each change only. */
  waiting(waiting: Waiting | null): void;
  /** Something a person should know that does not end the run. */
  warning(message: string): void;
  /** The place, each time more of it is known; the first time before anything can have been left behind. */
  place(place: Place): void;
  /** What `open` or `adopt` could not remove, and how a person does: told before it rejects. */
  leftover(message: string): void;
  /**
   * Somebody asks from elsewhere that the run ends: told once. The answer is how long the run may take until it
   * closes the place, in milliseconds; who asked waits for as long.
   */
  cancelled(by: string): number;
  /** A request, a retry, a reconnect: for `--verbose`. */
  trace(message: string): void;
}

export interface Waiting {
  /** A word: `Unschedulable`, `TriggeredScaleUp`, `Pulling`, … */
  readonly reason: string;
  /** The cluster's own words. */
  readonly message: string;
  readonly since: Date;
}

export type Place = KubernetesPlace | ContainerPlace;

export interface KubernetesPlace {
  readonly kind: 'job';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | null;
  readonly pod: string | null;
  readonly node: string | null;
}

export interface ContainerPlace {
  readonly kind: 'container';
  readonly name: string;
  readonly id: string | null;
}

/** One run's open place. Calls are made one after another, never two at a time. */
export interface Sandbox {
  readonly place: Place;
  /** Unpacks an archive at `/`, whole or not at all from the run's point of view. */
  send(archive: OutgoingArchive, transfer: TransferObserver, signal: AbortSignal): Promise<void>;

  /**
   * Runs one step once, whatever happens to connections, and also where an earlier process has started it: it
   * is then followed from its first byte. `output` gets the step's bytes in order and is awaited
   * (back-pressure). Resolves only when every byte has been handed over.
   *
   * Aborting `control.stop` ends the step's processes (TERM, grace, KILL) and the verdict is then `stopped`.
   * Aborting `control.abandon` rejects at once; the step is not looked after any more.
   */
  runStep(step: StepRequest, output: StepOutput, control: StepControl): Promise<StepVerdict>;

  /** Reads the named absolute paths as one archive; a path that is missing is named, not an error. */
  fetch(paths: readonly string[], transfer: TransferObserver, signal: AbortSignal): Promise<IncomingArchive>;

  /**
   * Removes the place and waits until it is gone, or, where the run asked to keep it, says until when it
   * stays and how to remove it. Never rejects: what could not be removed is in the answer.
   */
  close(signal: AbortSignal): Promise<Closed>;
}

/** A tar archive that can be made as often as it has to be sent. Names are relative to `/`: `work/README.md`. */
export interface OutgoingArchive {
  /** Its size in bytes, if `lastEntry` is `lastEntry`; exact unless the tree changes meanwhile. */
  size(lastEntry: LastEntry): Promise<number>;
  /**
   * Ends with the given regular file as its last entry, by which the receiver knows that all has come.
   */
  open(lastEntry: LastEntry, options?: ArchiveOptions): AsyncIterable<Uint8Array>;
}

interface ArchiveOptions {
  /** For a receiver that takes owners from the archive. Root's without it. */
  readonly owner?: Owner;
  /** Chunks that the reader has done with: what it puts here is written into again. */
  readonly spare?: Uint8Array[];
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export interface LastEntry {
  readonly name: string;
  readonly content: string;
}

export interface IncomingArchive {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The archive is whole only if a regular file of this name is its last entry; it is not one of the outputs. */
  readonly lastEntry: string;
  /** Settles when the sender has told how it went, which is after the last byte. */
  readonly outcome: Promise<FetchOutcome>;
}

export interface FetchOutcome {
  /** Paths that were asked for and do not exist. */
  readonly missing: readonly string[];
  /** What the sender said of files that it skipped or that changed while it read them. */
  readonly warnings: readonly string[];
  /** Why the sender could not read all, or null. */
  readonly failure: string | null;
}

export interface TransferObserver {
  /** Told now and then; `total` is null where it is not known. */
  progress(bytes: number, total: number | null): void;
}

export interface StepRequest {
  /** From 0, different for each step of the run. */
  readonly index: number;
  /** By which its end is known: letters and digits that nothing in the place can guess, the same if asked again. */
  readonly nonce: string;
  readonly name: string;
  readonly command: string;
  /** All variables of the step but its secrets. */
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** How many steps are likely to come after this one. While there are any, what served this one is kept for them. */
  readonly following: number;
}

export type StepOutput = (bytes: Uint8Array) => void | Promise<void>;

export interface StepControl {
  readonly stop: AbortSignal;
  readonly abandon: AbortSignal;
}

export type StepVerdict =
  | { readonly kind: 'exited'; readonly exitCode: number; readonly usage: StepUsage }
  | {
      readonly kind: 'stopped';
      /** The last signal that was sent. */
      readonly signal: 'TERM' | 'KILL';
      /** What the step's shell ended with, or null where it could not be learned. */
      readonly exitCode: number | null;
      readonly usage: StepUsage;
    };

/** What the kernel told of the step; null where it did not. */
export interface StepUsage {
  readonly cpuMs: number | null;
  readonly peakMemoryBytes: number | null;
  /** Whether the kernel killed a process for want of memory while the step ran. */
  readonly oomKilled: boolean;
}

export interface Closed {
  readonly deleted: boolean;
  readonly kept: boolean;
  /** For a person: what is left and how to remove it; null when nothing is. */
  readonly leftover: string | null;
}

/** Where runs of other processes can be looked on at. It reads only: no run can tell, and none waits for it. */
export interface Watcher {
  /** Rejects with BadInput where there is no run of this name. */
  find(name: string, signal: AbortSignal): Promise<WatchedRun>;
}

export interface WatchedRun {
  /** Whose values have to be known, to be masked. */
  readonly secretNames: readonly string[];
  /**
   * Tells all steps from the first byte, and resolves when the run is over, however it ended. Rejects where it cannot
   * go on, though the run may.
   */
  follow(onlooker: Onlooker, signal: AbortSignal): Promise<WatchEnd>;
}

export interface WatchEnd {
  /** Why the run is over, for a person. */
  readonly message: string;
  /** Whether all has come that its steps wrote. */
  readonly isWhole: boolean;
}

/** Hears what goes on in a run of another process, one thing after another. */
export interface Onlooker extends Pick<Observer, 'waiting' | 'warning' | 'trace'> {
  /** The place could be looked into; whether a step has begun by then. */
  entered(hasBegun: boolean): void;
  stepStarted(name: string): Promise<void>;
  /** Bytes of the step that was started last. Awaited (back-pressure). */
  output(bytes: Uint8Array): Promise<void>;
  /** All of its own bytes have come, or no more will. */
  stepEnded(): Promise<void>;
}
