import type { Clock } from '../base/clock.ts';
import type { Executor } from '../executor/executor.ts';
import type { Workflow } from '../workflow/workflow.ts';
import type { CancelSource } from './cancel-source.ts';
import type { Destination } from './destination.ts';
import type { RunEvent } from './event-schema.ts';
import type { Journal } from './journal/journal.ts';

/** Everything that one run needs. */
export interface RunRequest {
  readonly run: {
    /** Any text but an empty one. */
    readonly name: string;
    /** The DID that the run is for. */
    readonly runner: string | undefined;
  };
  readonly workflow: Workflow;
  /** The image that was chosen; the workflow's own wish is not looked at. */
  readonly image: string;
  readonly executor: Executor;
  /** Sent to `/work`; without it `/work` starts empty. */
  readonly checkout?: CheckoutRequest | undefined;
  /** A folder sent to `/steps`. */
  readonly sharedSteps?: string | undefined;
  /** Without it nothing is fetched, and the result's `outputs` is null. */
  readonly outputs?: OutputsRequest | undefined;
  /** Values by name. They reach the steps that ask for them and are masked in everything that comes out. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Variables for every step; they stand above the workflow's and the steps' own. */
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: TimeLimits;
  /** Leave the place standing after the run. */
  readonly keep: boolean;
  /** Where a later process finds how far the run has come. */
  readonly journal?: Journal | undefined;
  /** Take up the run that the journal tells of, which an earlier process left, instead of beginning a new one. */
  readonly resume?: boolean | undefined;
  readonly log?: Destination | undefined;
  readonly result?: Destination | undefined;
  readonly events?: Destination | undefined;
  /**
   * Hears every event, one at a time; the run waits for it, so a slow view slows the steps. What it throws
   * ends the run, and it is not called again.
   */
  readonly onEvent?: ((event: RunEvent) => void | Promise<void>) | undefined;
  /** Requests, retries, reconnects: for `--verbose`. Masked; must not throw. */
  readonly onTrace?: ((message: string) => void) | undefined;
  readonly cancel: CancelSource;
  readonly clock: Clock;
  /** That many random bytes. */
  readonly random: (count: number) => Uint8Array;
}

export interface CheckoutRequest {
  readonly folder: string;
  /** `git`: only what git tracks or does not ignore. */
  readonly files: 'all' | 'git';
  readonly exclude: readonly string[];
}

export interface OutputsRequest {
  readonly folder: string;
  /** Absolute paths of the pod that are fetched besides `/outputs`; `/work/dist` lands in `work/dist`. */
  readonly collect: readonly string[];
  readonly maxBytes: number;
  readonly maxFiles: number;
}

/** All in milliseconds. */
export interface TimeLimits {
  /** All the steps together. */
  readonly timeoutMs: number;
  /** Each step; its own limit in the workflow counts where that is smaller. */
  readonly stepTimeoutMs?: number | undefined;
  /** Until the place is up. */
  readonly readyMs: number;
  /** How long the place outlives a runner that gives no sign of life. */
  readonly orphanMs: number;
  /** Between TERM and KILL of a step. */
  readonly graceMs: number;
}
