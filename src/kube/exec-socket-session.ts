import { finished, type Readable, type Writable } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { Clock } from '../base/clock.ts';
import { messageOf, RunnerError } from '../base/errors.ts';
import type { ExecExit, ExecSession } from '../base/exec-session.ts';
import { canEndStdin, parseFrame } from './exec-frames.ts';
import { ExecOutput } from './exec-output.ts';
import { execExitOf } from './exec-status.ts';
import { execStdin } from './exec-stdin.ts';
import type { Asked } from './status-error.ts';

const pingEveryMs = 15_000;
const maxStatusBytes = 64 * 1024;

export interface ExecSocketContext {
  readonly clock: Clock;
  readonly asked: Asked;
  /** Closes the session when it is aborted, with its reason. */
  readonly signal: AbortSignal;
}

/** An exec over an open WebSocket. What comes from there is not trusted. */
export class ExecSocketSession implements ExecSession {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly canEndStdin: boolean;
  readonly exit: Promise<ExecExit>;
  readonly #socket: WebSocket;
  readonly #context: ExecSocketContext;
  readonly #outputs: readonly [stdout: ExecOutput, stderr: ExecOutput];
  /** Aborted at the end, whichever it is. */
  readonly #over = new AbortController();
  #abandoned: Error | undefined;
  #status = '';
  #broken: Error | undefined;

  /** Must be called in the `open` event itself: the first frames may follow in the same tick. */
  constructor(socket: WebSocket, context: ExecSocketContext) {
    this.#socket = socket;
    this.#context = context;
    this.canEndStdin = canEndStdin(socket.protocol);
    this.stdin = execStdin(socket);
    this.#outputs = [new ExecOutput(() => this.#flow()), new ExecOutput(() => this.#flow())];
    [this.stdout, this.stderr] = this.#outputs;
    // Whoever uses the streams hears of their errors in their own way; nobody has to.
    for (const stream of [this.stdin, this.stdout, this.stderr]) stream.on('error', () => {});
    const outputsEnded = Promise.all(this.#outputs.map(ended));
    const closeCode = new Promise<number>((resolve) => {
      socket.once('close', (code) => resolve(code));
    });
    socket.on('message', (data) => this.#receive(data));
    socket.on('error', (error) => {
      this.#broken ??= error;
    });
    this.exit = this.#settle(closeCode, outputsEnded);
    this.exit.catch(() => {});
    this.#pingWhileOpen();
    context.signal.addEventListener('abort', this.#onAbort, { once: true });
    if (context.signal.aborted) this.#onAbort();
  }

  close(): void {
    // Whoever lets go of a silent connection may well take another.
    this.#abandon(new RunnerError('ConnectionLost', 'the exec was let go before it ended', { retry: true }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  readonly #onAbort = (): void => this.#abandon(this.#context.signal.reason);

  #abandon(reason: unknown): void {
    if (this.#over.signal.aborted) return;
    const error = reason instanceof Error ? reason : new RunnerError('ConnectionLost', messageOf(reason));
    this.#abandoned = error;
    this.#over.abort();
    this.#socket.terminate();
    for (const stream of [this.stdin, ...this.#outputs]) stream.destroy(error);
  }

  #receive(data: RawData): void {
    const frame = parseFrame(asBuffer(data));
    if (!frame) return;
    const [stdout, stderr] = this.#outputs;
    if (frame.channel === 'status') {
      if (this.#status.length < maxStatusBytes) this.#status += frame.bytes.toString();
    } else if (frame.channel === 'stdout') {
      stdout.add(frame.bytes);
    } else {
      stderr.add(frame.bytes);
    }
    if (stdout.full || stderr.full) this.#socket.pause();
  }

  #flow(): void {
    if (this.#socket.isPaused && !this.#outputs.some((output) => output.full)) this.#socket.resume();
  }

  async #settle(closeCode: Promise<number>, outputsEnded: Promise<unknown>): Promise<ExecExit> {
    const code = await closeCode;
    this.#context.signal.removeEventListener('abort', this.#onAbort);
    const verdict = this.#abandoned ?? this.#verdict(code);
    this.#over.abort();
    this.stdin.destroy(verdict instanceof Error ? verdict : undefined);
    for (const output of this.#outputs) output.end();
    await outputsEnded;
    if (verdict instanceof Error) throw verdict;
    return verdict;
  }

  /** A status alone is not enough: without a proper close, bytes that were sent may not have come. */
  #verdict(closeCode: number): ExecExit | Error {
    const { action, server } = this.#context.asked;
    const proper = closeCode === 1000 || closeCode === 1005;
    if (this.#status === '' || !proper || this.#broken) {
      const why = this.#broken ? messageOf(this.#broken) : `close code ${closeCode}`;
      const lack = this.#status === '' ? 'before the exec told how it ended' : 'before the exec was closed';
      return new RunnerError(
        'ConnectionLost',
        `the connection to ${server} was lost ${lack} (${action}: ${why})`,
        {
          retry: true,
          ...(this.#broken ? { cause: this.#broken } : {}),
        },
      );
    }
    try {
      return execExitOf(this.#status, this.#context.asked);
    } catch (error) {
      return error instanceof Error ? error : new RunnerError('Internal', messageOf(error));
    }
  }

  #pingWhileOpen(): void {
    const { signal } = this.#over;
    const loop = async (): Promise<void> => {
      for (;;) {
        await this.#context.clock.sleep(pingEveryMs, signal);
        this.#socket.ping(undefined, undefined, () => {});
      }
    };
    loop().catch(() => {}); // ends with the session
  }
}

function ended(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    finished(stream, { writable: false }, () => resolve());
  });
}

function asBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
