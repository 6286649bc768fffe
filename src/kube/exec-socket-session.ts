import { finished, type Readable, type Writable } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import { messageOf, RunnerError } from '../base/errors.ts';
import type { ExecExit, ExecSession } from '../base/exec-session.ts';
import { ChannelReader, canEndStdin } from './exec-frames.ts';
import { ExecOutput } from './exec-output.ts';
import { execExitOf } from './exec-status.ts';
import { execStdin } from './exec-stdin.ts';
import type { ExecProtocol } from './kube-api.ts';
import type { Asked } from './status-error.ts';
import type { Upgraded } from './web-socket/handshake.ts';
import { WebSocket, type WebSocketEnd } from './web-socket/web-socket.ts';

const pingEveryMs = 15_000;
const maxStatusBytes = 64 * 1024;

export interface ExecSocketContext {
  readonly clock: Clock;
  readonly asked: Asked;
  /** Closes the session when it is aborted, with its reason. */
  readonly signal: AbortSignal;
  readonly url: URL;
}

/** An exec over an open WebSocket. What comes from there is not trusted. */
export class ExecSocketSession implements ExecSession {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly canEndStdin: boolean;
  readonly exit: Promise<ExecExit>;
  readonly #socket: WebSocket<ExecProtocol>;
  readonly #context: ExecSocketContext;
  readonly #outputs: readonly [stdout: ExecOutput, stderr: ExecOutput];
  readonly #channels = new ChannelReader();
  /** Aborted at the end, whichever it is. */
  readonly #over = new AbortController();
  #abandoned: Error | undefined;
  #status = '';

  constructor(upgraded: Upgraded<ExecProtocol>, context: ExecSocketContext) {
    this.#context = context;
    this.canEndStdin = canEndStdin(upgraded.protocol);
    this.#outputs = [new ExecOutput(() => this.#flow()), new ExecOutput(() => this.#flow())];
    [this.stdout, this.stderr] = this.#outputs;
    const outputsEnded = Promise.all(this.#outputs.map(ended));
    const { clock, url } = context;
    const isInsideTls = url.protocol === 'https:';
    this.#socket = new WebSocket({ ...upgraded, clock, isInsideTls }, (piece, isStart) =>
      this.#receive(piece, isStart),
    );
    this.stdin = execStdin(this.#socket);
    // Whoever uses the streams hears of their errors in their own way; nobody has to.
    for (const stream of [this.stdin, this.stdout, this.stderr]) stream.on('error', () => {});
    this.exit = this.#settle(outputsEnded);
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

  #receive(piece: Buffer, isStart: boolean): void {
    const told = this.#channels.read(piece, isStart);
    if (!told) return;
    const { channel, bytes } = told;
    const [stdout, stderr] = this.#outputs;
    if (channel === 'status') {
      if (this.#status.length < maxStatusBytes) this.#status += bytes.toString();
    } else if (channel === 'stdout') {
      stdout.add(bytes);
    } else {
      stderr.add(bytes);
    }
    if (stdout.full || stderr.full) this.#socket.pause();
  }

  #flow(): void {
    if (this.#socket.isPaused && !this.#outputs.some((output) => output.full)) this.#socket.resume();
  }

  async #settle(outputsEnded: Promise<unknown>): Promise<ExecExit> {
    const end = await this.#socket.closed;
    this.#context.signal.removeEventListener('abort', this.#onAbort);
    const verdict = this.#abandoned ?? this.#verdict(end);
    this.#over.abort();
    this.stdin.destroy(verdict instanceof Error ? verdict : undefined);
    for (const output of this.#outputs) output.end();
    await outputsEnded;
    if (verdict instanceof Error) throw verdict;
    return verdict;
  }

  /** A status alone is not enough: without a proper close, bytes that were sent may not have come. */
  #verdict({ code, error: broken }: WebSocketEnd): ExecExit | Error {
    const { action, server } = this.#context.asked;
    const proper = code === 1000 || code === 1005;
    if (this.#status === '' || !proper || broken) {
      const why = broken ? messageOf(broken) : `close code ${code}`;
      const lack = this.#status === '' ? 'before the exec told how it ended' : 'before the exec was closed';
      return new RunnerError(
        'ConnectionLost',
        `the connection to ${server} was lost ${lack} (${action}: ${why})`,
        {
          retry: true,
          ...(broken ? { cause: broken } : {}),
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
        this.#socket.ping();
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
