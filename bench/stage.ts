import type { Clock } from '../src/base/clock.ts';
import type { Executor } from '../src/executor/executor.ts';
import type { BareApi } from './contenders/bare-api.ts';

/** What every measure works with. */
export interface Stage {
  readonly kubeconfig: string;
  /** Of the benchmark's own; all that is made is made in it. */
  readonly namespace: string;
  readonly image: string;
  readonly kubectl: string;
  /** The command, bundled from this very source. */
  readonly command: string;
  /** An empty folder for each caller, removed at the end. */
  readonly folder: (name: string) => Promise<string>;
  /** This program's, put together as the command does. */
  readonly executor: Executor;
  readonly bare: BareApi;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How many rounds, where `usual` are usual. */
  readonly rounds: (usual: number) => number;
  readonly progress: (text: string) => void;
}
