/** A run's recipe, whatever file it came from. */
export interface Workflow {
  /** The image the workflow asks for; `--image` stands above it. */
  readonly image: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number | undefined;
  readonly resources: Resources;
  readonly steps: readonly Step[];
}

/** Kubernetes quantities, as written. */
export interface Resources {
  readonly cpu: string | undefined;
  readonly memory: string | undefined;
}

export interface Step {
  /** Unique in its workflow. */
  readonly name: string;
  /** What `sh -e` runs. */
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The secrets that the step gets: every one that the run has, or those named here or by the workflow. */
  readonly secrets: 'all' | readonly string[];
  readonly timeoutMs: number | undefined;
  readonly continueOnError: boolean;
  /** Runs after a failure or a step's timeout as well; not after a cancel or the run's timeout. */
  readonly always: boolean;
}
