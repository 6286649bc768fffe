import type { Clock } from '../../base/clock.ts';
import type { Executor } from '../../executor/executor.ts';
import type { CliContext } from '../cli-context.ts';
import type { RunOptions } from '../options/run-options.ts';
import type { RunPlan } from './run-plan.ts';

export interface ExecutorRequest {
  readonly options: RunOptions;
  readonly plan: RunPlan;
  readonly context: CliContext;
  readonly clock: Clock;
  /** Requests and retries, for `--verbose`. */
  readonly trace: (message: string) => void;
}

/** An executor, and what has to be ended after its last run: connections, an embedded cluster. */
export interface OpenExecutor extends AsyncDisposable {
  readonly executor: Executor;
  /** Where its runs are, in the same words each time; absent where they end with this. */
  readonly cluster?: { readonly name: string; readonly namespace: string };
}
