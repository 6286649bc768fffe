import type { Readable, Writable } from 'node:stream';
import type { CommandContext } from '@stricli/core';

/** Everything of the process that a command may touch; made once in main.ts, and by tests. */
export interface CliContext extends CommandContext {
  readonly process: CliProcess;
  /** Relative paths are relative to this folder. */
  readonly cwd: string;
  readonly homeFolder: string;
  readonly tempFolder: string;
  /** Ends a command in order: the first, second and third of them mean more and more haste. */
  readonly signals: SignalSource;
}

export interface CliProcess {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Environment;
  exitCode: number | null;
}

export type Environment = Readonly<Partial<Record<string, string>>>;

/** A stream to a person or a pipe. Its errors are handled: who writes looks at the write's own outcome. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export type EndSignal = 'SIGHUP' | 'SIGINT' | 'SIGTERM';

export interface SignalSource {
  /** Calls `listener` on each signal until the returned function is called. */
  listen(listener: (signal: EndSignal) => void): () => void;
}
