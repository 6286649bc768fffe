import type { PodSettings } from '../../executor/kubernetes/pod-settings.ts';
import type { CheckoutRequest, OutputsRequest } from '../../run/run-request.ts';
import type { EngineOptions } from './engine-options.ts';
import type { OutputTarget } from './output-targets.ts';

/** What the command line, the variables and the defaults of `run` came to. Paths are absolute, times in milliseconds. */
export interface RunOptions extends EngineOptions {
  readonly name: string;
  readonly runner: string | undefined;
  readonly recipe: RecipeFile;
  /** undefined: the workflow's, or the default. */
  readonly image: string | undefined;
  readonly checkout: CheckoutRequest | undefined;
  readonly sharedSteps: string | undefined;
  readonly outputs: OutputsRequest | undefined;
  readonly result: OutputTarget | undefined;
  readonly log: OutputTarget | undefined;
  readonly events: OutputTarget | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly limits: LimitOptions;
  /** Of a pod, or, as far as it has a meaning there, of a container. `cpu` and `memory` undefined: the workflow's, or none. */
  readonly pod: PodSettings;
  readonly cluster: ClusterOptions;
  readonly keep: boolean;
  readonly resume: boolean;
  readonly dryRun: boolean;
  readonly compress: 'auto' | 'gzip' | 'none';
  readonly verbosity: Verbosity;
}

export type Verbosity = 'quiet' | 'normal' | 'verbose';

export interface RecipeFile {
  readonly kind: 'steps' | 'workflow';
  /** As it was written, for messages. */
  readonly name: string;
  readonly content: Uint8Array;
}

export interface LimitOptions {
  /** undefined: the workflow's, or the default. */
  readonly timeoutMs: number | undefined;
  readonly stepTimeoutMs: number | undefined;
  readonly readyMs: number;
  readonly orphanMs: number;
  readonly graceMs: number;
}

export interface ClusterOptions extends ConnectionOptions {
  /** An embedded cluster of this run's own. */
  readonly embedded: boolean;
}

/** Which cluster, as whom and by what road. */
export interface ConnectionOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly namespace: string | undefined;
  readonly transport: 'api' | 'kubectl';
  readonly kubectl: string;
}
