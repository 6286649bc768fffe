/** What a benchmark run found, as it stands in the JSON file. */
export interface Report {
  readonly schemaVersion: 1;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly machine: {
    readonly cpus: number;
    readonly cpu: string;
    readonly memoryBytes: number;
    readonly node: string;
  };
  /** Of an engine, its name is the version. */
  readonly cluster: { readonly version: string; readonly runtime: string; readonly image: string };
  /** The version of the program that is measured against: kubectl, or docker. */
  readonly kubectl: string;
  readonly rows: readonly Row[];
  /** What could not be measured, and why. */
  readonly failures: readonly string[];
}

/** One thing that was measured, by all that can do it. */
export interface Row {
  readonly id: string;
  /** For a person: "upload of one file of 200 MB". */
  readonly title: string;
  readonly series: readonly Series[];
}

export interface Series {
  readonly contender: string;
  /** In the order of the rounds: the n-th of one contender and the n-th of another were measured side by side. */
  readonly samples: readonly Sample[];
  /** Why turns of it were done again. */
  readonly repeated?: readonly string[];
}

export interface Sample {
  readonly ms: number;
  /** Of the processes at this end, user and system together; absent where it was not measured. */
  readonly cpuMs?: number;
  /** The most that one process at this end had resident; absent where it was not measured. */
  readonly peakBytes?: number;
}

/** This program, as rows name it. */
export const ours = 'this program';
