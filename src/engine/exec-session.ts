import { type Duplex, finished, PassThrough, type Readable, Writable } from 'node:stream';
import { messageOf, RunnerError } from '../base/errors.ts';
import type { ExecExit, ExecSession } from '../base/exec-session.ts';
import { type Outputs, separateOutputs } from './output-frames.ts';

const bufferBytes = 256 * 1024;

export interface EngineExecParts {
  readonly connection: Duplex;
  /** Throws where the program was never started; told the first bytes that came as its output. */
  readonly checkStart: (first: Buffer) => Promise<void>;
  /** How the program ended, once its outputs have. */
  readonly exitOf: () => Promise<ExecExit>;
  /** Closes the session when it is aborted, with its reason. */
  readonly signal: AbortSignal;
}

/** A program that runs in a container, over the connection that its start was asked on. */
export class EngineExecSession implements ExecSession {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly canEndStdin = true;
  readonly exit: Promise<ExecExit>;
  readonly #parts: EngineExecParts;
  readonly #outputs: Outputs;
  readonly #over = new AbortController();
  #abandoned: Error | undefined;

  constructor(parts: EngineExecParts) {
    const { connection, signal } = parts;
    this.#parts = parts;
    this.stdin = stdinOf(connection);
    this.#outputs = {
      stdout: new PassThrough({ highWaterMark: bufferBytes }),
      stderr: new PassThrough({ highWaterMark: bufferBytes }),
    };
    this.stdout = this.#outputs.stdout;
    this.stderr = this.#outputs.stderr;
    // Whoever uses the streams hears of their errors in their own way; nobody has to.
    for (const stream of [connection, this.stdin, this.stdout, this.stderr]) stream.on('error', () => {});
    this.exit = this.#settle();
    this.exit.catch(() => {});
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
  }

  close(): void {
    // Whoever lets go of a silent connection may well take another.
    this.#abandon(new RunnerError('ConnectionLost', 'the exec was let go before it ended', { retry: true }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  readonly #onAbort = (): void => this.#abandon(this.#parts.signal.reason);

  #abandon(reason: unknown): void {
    if (this.#over.signal.aborted) return;
    const error = reason instanceof Error ? reason : new RunnerError('ConnectionLost', messageOf(reason));
    this.#abandoned = error;
    this.#over.abort(error);
    this.#parts.connection.destroy();
    for (const stream of [this.stdin, this.#outputs.stdout, this.#outputs.stderr]) stream.destroy(error);
  }

  async #settle(): Promise<ExecExit> {
    const { connection, signal, exitOf, checkStart } = this.#parts;
    const outputsEnded = Promise.all([this.stdout, this.stderr].map(ended));
    let broken: unknown;
    try {
      await separateOutputs(connection, this.#outputs, checkStart, this.#over.signal);
    } catch (error) {
      broken = error;
    }
    connection.destroy();
    this.stdin.destroy();
    this.#outputs.stdout.end();
    this.#outputs.stderr.end();
    await outputsEnded;
    try {
      if (this.#abandoned) throw this.#abandoned;
      if (broken !== undefined) throw lost(broken);
      return await exitOf();
    } finally {
      signal.removeEventListener('abort', this.#onAbort);
      this.#over.abort();
    }
  }
}

const lost = (thrown: unknown): RunnerError =>
  thrown instanceof RunnerError
    ? thrown
    : new RunnerError(
        'ConnectionLost',
        `the connection to a program in the container broke: ${messageOf(thrown)}`,
        {
          cause: thrown,
          retry: true,
        },
      );

/** A stream of its own, so that who destroys it leaves the outputs be. */
function stdinOf(connection: Duplex): Writable {
  return new Writable({
    highWaterMark: bufferBytes,
    write: (chunk: Buffer, _encoding, done) => {
      connection.write(chunk, (error) => done(error));
    },
    final: (done) => {
      connection.end(() => done());
    },
  });
}

function ended(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    finished(stream, { writable: false }, () => resolve());
  });
}
