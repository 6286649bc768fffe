import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ZodType } from 'zod';
import type { Clock } from '../base/clock.ts';
import { withDeadline } from '../base/deadline.ts';
import { RunnerError } from '../base/errors.ts';
import { readBody, readRefusal } from '../base/http-body.ts';
import { connectionError } from './connection-error.ts';
import type { EngineAddress } from './engine-address.ts';
import { EngineAgent } from './engine-agent.ts';
import { refusalError } from './engine-error.ts';
import { type ByteStream, type EngineAnswer, isSuccess, sendRequest } from './engine-request.ts';
import { jsonLines } from './json-lines.ts';

const answerPatienceMs = 30_000;
const longestAnswer = 16 * 1024 * 1024;

export interface EngineCall {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  /** Without the version: `/containers/json`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON; bytes as they are, as an archive. */
  readonly body?: unknown;
  /** In place of `body`: an archive that is made while it is sent. */
  readonly stream?: ByteStream;
  readonly headers?: Readonly<Record<string, string>>;
  /** For messages: `create the container NAME`. */
  readonly action: string;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
}

export interface EngineApiOptions {
  readonly address: EngineAddress;
  /** `1.41`; undefined before it is known. */
  readonly version: string | undefined;
  readonly clock: Clock;
  readonly userAgent: string;
  /** One line for each request; holds neither headers nor bodies. */
  readonly trace: (message: string) => void;
}

/** The API of a Docker Engine, or of what speaks like one. */
export class EngineApi implements AsyncDisposable {
  readonly address: EngineAddress;
  readonly #options: EngineApiOptions;
  readonly #agent: EngineAgent;

  constructor(options: EngineApiOptions) {
    this.address = options.address;
    this.#options = options;
    this.#agent = new EngineAgent(options.address);
  }

  /** A call whose answer is one piece of JSON, or nothing. */
  async request<T>(call: EngineCall, schema: ZodType<T>): Promise<T> {
    const text = await this.#within(call, async (signal) =>
      readBody(await this.#message(call, signal), longestAnswer, "the engine's answer"),
    );
    return parsed(text, schema, call.action);
  }

  /** A call whose answer is lines of JSON for as long as it lasts; only its beginning has a deadline. */
  async *lines(
    call: EngineCall & { readonly signal: AbortSignal },
  ): AsyncGenerator<unknown, void, undefined> {
    const message = await this.#within(call, (signal) => this.#message(call, signal));
    const onAbort = (): void => void message.destroy();
    call.signal.addEventListener('abort', onAbort, { once: true });
    try {
      call.signal.throwIfAborted();
      yield* jsonLines(message);
      if (!message.complete) throw new Error('the answer was cut off');
    } catch (error) {
      call.signal.throwIfAborted();
      throw connectionError(error, this.address);
    } finally {
      call.signal.removeEventListener('abort', onAbort);
      message.destroy();
    }
  }

  /** A call that makes the connection the caller's own: a program's input and outputs. */
  async upgrade(call: EngineCall): Promise<Duplex> {
    const headers = { ...call.headers, Connection: 'Upgrade', Upgrade: 'tcp' };
    return await this.#within(call, async (signal) => {
      const answer = await this.#send({ ...call, headers }, signal);
      if ('connection' in answer) return answer.connection;
      const { message } = answer;
      if (!isSuccess(message)) throw await refused(message, call.action);
      message.destroy();
      throw new RunnerError(
        'ApiRefused',
        `the engine cannot ${call.action}: something before it does not let a connection be taken over`,
      );
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy();
  }

  async #within<T>(call: EngineCall, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { method, path, signal, timeoutMs = answerPatienceMs } = call;
    try {
      const deadline = { name: `the engine's answer to ${method} ${path}`, ms: timeoutMs };
      return await withDeadline(this.#options.clock, deadline, signal, work);
    } catch (error) {
      signal?.throwIfAborted();
      throw connectionError(error, this.address);
    }
  }

  async #message(call: EngineCall, signal: AbortSignal): Promise<IncomingMessage> {
    const answer = await this.#send(call, signal);
    if ('message' in answer) {
      if (isSuccess(answer.message)) return answer.message;
      throw await refused(answer.message, call.action);
    }
    answer.connection.destroy();
    throw new RunnerError('ApiRefused', `the engine cannot ${call.action}: it answered with an upgrade`);
  }

  async #send(call: EngineCall, signal: AbortSignal): Promise<EngineAnswer> {
    const { version, clock, userAgent, trace } = this.#options;
    const { method, path, body, stream } = call;
    const query = call.query ? `?${new URLSearchParams(call.query)}` : '';
    const type = body instanceof Uint8Array || stream ? 'application/x-tar' : 'application/json';
    const started = clock.now();
    const answer = await sendRequest({
      method,
      path: `${version === undefined ? '' : `/v${version}`}${path}${query}`,
      headers: {
        'User-Agent': userAgent,
        ...(body === undefined && !stream ? {} : { 'Content-Type': type }),
        ...call.headers,
      },
      body: stream ?? bytesOf(body),
      agent: this.#agent,
      signal,
    });
    const status = 'message' in answer ? answer.message.statusCode : 'open';
    trace(`${method} ${path}: ${status} after ${Math.round(clock.now() - started)} ms`);
    return answer;
  }
}

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  return body instanceof Uint8Array ? Buffer.from(body) : Buffer.from(JSON.stringify(body));
}

const refused = async (message: IncomingMessage, action: string): Promise<RunnerError> =>
  refusalError(message.statusCode ?? 0, await readRefusal(message), action);

function parsed<T>(text: string, schema: ZodType<T>, action: string): T {
  let json: unknown;
  try {
    json = text === '' ? null : JSON.parse(text);
  } catch {
    throw new RunnerError('ApiRefused', `cannot ${action}: the engine answered with no JSON`);
  }
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new RunnerError(
    'ApiRefused',
    `cannot ${action}: what answered is no Docker Engine, at ${issue?.path.map(String).join('.') || 'its top'}: ${issue?.message ?? ''}`,
  );
}
