import type { Readable, Writable } from 'node:stream';

/** How a program that was run by exec ended, as the other side told. */
export interface ExecExit {
  /** The program's exit code. */
  readonly exitCode: number;
}

/**
 * One running exec, over whatever road. Back-pressure is kept in both directions: not reading `stdout` or
 * `stderr` in time holds the sender, so both must be read (or resumed).
 */
export interface ExecSession extends AsyncDisposable {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /**
   * Whether ending `stdin` reaches the program as an end of file. Where it does not (sub-protocol v4), the
   * program has to know how much to read.
   */
  readonly canEndStdin: boolean;
  /**
   * Settles after both outputs have ended: with the exit that the other side reported, or rejected with a
   * RunnerError (`ConnectionLost` where the stream broke and nobody told). Handled already: ignoring it is safe.
   */
  readonly exit: Promise<ExecExit>;
  /** Lets go of the connection at once. What runs at the other end may go on. */
  close(): void;
}

/** Starts `argv` by exec where a run lives. Rejects with a RunnerError when it could not be opened. */
export type OpenExec = (argv: readonly string[], signal: AbortSignal) => Promise<ExecSession>;
