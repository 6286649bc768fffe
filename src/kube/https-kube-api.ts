import type { Agent, IncomingMessage } from 'node:http';
import type { ZodType } from 'zod';
import type { Clock } from '../base/clock.ts';
import { withDeadline } from '../base/deadline.ts';
import { RunnerError } from '../base/errors.ts';
import type { ExecSession } from '../base/exec-session.ts';
import { readBody, readRefusal } from '../base/http-body.ts';
import { actionName, apiActionOf } from './api-action.ts';
import { clusterAgent } from './cluster-agent.ts';
import { type ClusterTarget, serverName } from './cluster-target.ts';
import { connectionError } from './connection-error.ts';
import type { Credential, CredentialExpiry, CredentialSource } from './credentials/credential.ts';
import { redact, secretsOf } from './credentials/redact.ts';
import { openExecSocket, type UpgradeRefused } from './exec-socket.ts';
import { openRequest, type RequestHeaders } from './http-answer.ts';
import type { ImpersonationHeaders } from './impersonation.ts';
import type { ApiCall, ExecCall, KubeApi, WatchCall, WatchEvent } from './kube-api.ts';
import { parseAnswer } from './parse-answer.ts';
import { retryAfterMs } from './retry-after.ts';
import { type Asked, refusalError } from './status-error.ts';
import { watchEvents } from './watch-lines.ts';

const answerPatienceMs = 30_000;
const maxAnswerBytes = 64 * 1024 * 1024;

export interface HttpsKubeApiOptions {
  readonly target: ClusterTarget;
  readonly credentials: CredentialSource;
  readonly namespace: string;
  readonly impersonation: ImpersonationHeaders;
  readonly clock: Clock;
  readonly userAgent: string;
  /** One line for each request; holds neither headers nor bodies. */
  readonly trace: (message: string) => void;
  /** Aborted when the connection is closed. */
  readonly closing: AbortController;
}

/** A cluster's API over HTTPS and WebSocket, with the credentials of a kubeconfig. */
export class HttpsKubeApi implements KubeApi {
  readonly server: string;
  readonly namespace: string;
  readonly #options: HttpsKubeApiOptions;
  #road: { readonly agent: Agent; readonly credential: Credential } | undefined;

  constructor(options: HttpsKubeApiOptions) {
    this.#options = options;
    this.server = serverName(options.target);
    this.namespace = options.namespace;
  }

  /** When the credentials end; null where that is not known. */
  credentialExpiry(signal?: AbortSignal): Promise<CredentialExpiry | null> {
    return this.#options.credentials.expiry(signal);
  }

  async request<T>(call: ApiCall, schema: ZodType<T>): Promise<T> {
    const asked = this.#asked(call.method, call.path, false);
    const text = await this.#asSomebody(asked, call.signal, (credential) => {
      const deadline = {
        name: `the answer to ${call.method} ${call.path}`,
        ms: call.timeoutMs ?? answerPatienceMs,
      };
      return withDeadline(this.#options.clock, deadline, call.signal, async (signal) => {
        const answer = await this.#send(call, credential, signal);
        return isSuccess(answer) ? readBody(answer, maxAnswerBytes) : refused(answer);
      });
    });
    return parseAnswer(text, schema, asked);
  }

  async *watch(call: WatchCall): AsyncGenerator<WatchEvent, void, undefined> {
    const { signal } = call;
    if (signal.aborted) return;
    const asked = this.#asked('GET', call.path, true);
    const stop = new AbortController();
    const onAbort = (): void => stop.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const answer = await this.#asSomebody(asked, stop.signal, (credential) => {
        const deadline = { name: `the answer to the watch of ${call.path}`, ms: answerPatienceMs };
        return withDeadline(this.#options.clock, deadline, stop.signal, async (opening) => {
          const abortOpening = (): void => stop.abort(opening.reason);
          opening.addEventListener('abort', abortOpening, { once: true });
          const query = { ...call.query, watch: '1' };
          const opened = await this.#send({ method: 'GET', path: call.path, query }, credential, stop.signal);
          return isSuccess(opened) ? opened : refused(opened);
        });
      });
      yield* watchEvents(answer);
    } catch (error) {
      if (!signal.aborted) throw connectionError(error, this.#options.target);
    } finally {
      signal.removeEventListener('abort', onAbort);
      stop.abort();
    }
  }

  async exec(call: ExecCall): Promise<ExecSession> {
    const path = `/api/v1/namespaces/${encodeURIComponent(call.namespace)}/pods/${encodeURIComponent(call.pod)}/exec`;
    const url = this.#url(path, {});
    url.searchParams.set('container', call.container);
    for (const word of call.command) url.searchParams.append('command', word);
    for (const stream of ['stdin', 'stdout', 'stderr']) url.searchParams.set(stream, 'true');
    // Up to Kubernetes 1.34 a WebSocket exec, being a GET, asks for "get"; from 1.35 on for "create" too.
    const asked: Asked = {
      ...this.#asked('GET', path, false),
      action: `exec in the pod ${call.pod}`,
      right: `get and create pods/exec in the namespace ${call.namespace}`,
    };
    return this.#asSomebody(asked, call.signal, async (credential) => {
      const started = this.#options.clock.now();
      const opened = await openExecSocket({
        url,
        headers: this.#headers(credential),
        agent: this.#agentFor(credential),
        clock: this.#options.clock,
        asked,
        signal: call.signal,
        timeoutMs: call.timeoutMs,
        protocols: call.protocols,
      });
      const took = `after ${Math.round(this.#options.clock.now() - started)} ms`;
      const status = 'refused' in opened ? opened.refused.answer.statusCode : 'open';
      this.#options.trace(`exec in ${call.namespace}/${call.pod}: ${status} ${took}`);
      return 'refused' in opened ? upgradeRefused(opened) : opened;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#options.closing.abort(
      new RunnerError('ConnectionLost', `the connection to ${this.server} was closed`),
    );
    this.#road?.agent.destroy();
    this.#road = undefined;
  }

  /** Does `work` with the credentials; where they are refused, once more with newer ones if there are any. */
  async #asSomebody<T>(
    asked: Asked,
    signal: AbortSignal | undefined,
    work: (credential: Credential) => Promise<T | Refused>,
  ): Promise<T> {
    const { credentials, target, trace } = this.#options;
    let credential = await credentials.current(signal);
    let result = await this.#attempt(() => work(credential), signal);
    if (result instanceof Refused && result.status === 401) {
      const newer = await credentials.renew(credential, signal);
      if (newer !== credential) {
        trace(`the credentials for ${serverName(target)} were refused; tries newer ones`);
        credential = newer;
        result = await this.#attempt(() => work(credential), signal);
      }
    }
    if (!(result instanceof Refused)) return result;
    const { status, answer } = result;
    const waitMs = retryAfterMs(answer.headers['retry-after'], this.#options.clock.date());
    const text = redact(result.text, secretsOf(credential));
    throw refusalError({ status, text, retryAfterMs: waitMs }, asked);
  }

  async #attempt<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      throw connectionError(error, this.#options.target);
    }
  }

  async #send(call: ApiCall, credential: Credential, signal: AbortSignal): Promise<IncomingMessage> {
    const { clock, trace } = this.#options;
    const { method, path } = call;
    const started = clock.now();
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = await openRequest({
      url: this.#url(path, call.query ?? {}),
      method,
      headers: {
        ...this.#headers(credential),
        Accept: 'application/json',
        ...(call.body === undefined ? {} : { 'Content-Type': type }),
      },
      body: call.body === undefined ? undefined : JSON.stringify(call.body),
      agent: this.#agentFor(credential),
      signal,
    });
    trace(`${method} ${path}: ${answer.statusCode} after ${Math.round(clock.now() - started)} ms`);
    return answer;
  }

  #asked(method: string, path: string, watch: boolean): Asked {
    return { server: this.server, method, action: actionName(apiActionOf(method, path, watch), path) };
  }

  #url(path: string, query: Readonly<Record<string, string>>): URL {
    const url = new URL(this.#options.target.server);
    url.pathname = url.pathname.replace(/\/$/, '') + path;
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url;
  }

  #headers(credential: Credential): RequestHeaders {
    return {
      ...this.#options.impersonation,
      'User-Agent': this.#options.userAgent,
      ...(credential.authorization ? { Authorization: credential.authorization } : {}),
    };
  }

  /** The same for all calls, until a new client certificate asks for new connections. */
  #agentFor(credential: Credential): Agent {
    const { target, clock, closing } = this.#options;
    closing.signal.throwIfAborted();
    const { clientCertificate } = credential;
    if (this.#road?.credential.clientCertificate !== clientCertificate || !this.#road) {
      this.#road = { agent: clusterAgent(target, clientCertificate, clock), credential };
    }
    return this.#road.agent;
  }
}

class Refused {
  readonly status: number;
  readonly answer: IncomingMessage;
  readonly text: string;

  constructor(answer: IncomingMessage, text: string) {
    this.status = answer.statusCode ?? 0;
    this.answer = answer;
    this.text = text;
  }
}

const refused = async (answer: IncomingMessage): Promise<Refused> =>
  new Refused(answer, await readRefusal(answer));

const upgradeRefused = ({ refused: { answer, text } }: UpgradeRefused): Refused => new Refused(answer, text);

function isSuccess(answer: IncomingMessage): boolean {
  const status = answer.statusCode ?? 0;
  return status >= 200 && status < 300;
}
