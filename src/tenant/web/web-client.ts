import type { Agent, IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import { withDeadline } from '../../base/deadline.ts';
import { RunnerError } from '../../base/errors.ts';
import { readBody } from '../../base/http-body.ts';
import { clusterAgent } from '../../kube/cluster-agent.ts';
import type { ClusterTarget, Trust } from '../../kube/cluster-target.ts';
import { connectionError } from '../../kube/connection-error.ts';
import { openRequest } from '../../kube/http-answer.ts';
import { proxyFor } from '../../kube/proxy.ts';
import { systemTrust } from '../../kube/system-trust.ts';
import { CookieJar } from './cookie-jar.ts';
import { requireSafe } from './safe-origin.ts';

const answerPatienceMs = 30_000;
const maxAnswerBytes = 8 * 1024 * 1024;

export interface WebClientOptions {
  readonly clock: Clock;
  readonly environment: NodeJS.ProcessEnv;
  readonly userAgent: string;
  /** One line for each request; holds neither query, headers nor body. */
  readonly trace: (message: string) => void;
}

export interface WebRequest {
  readonly method: string;
  readonly url: URL;
  /** Who is asked for what, as messages begin: `the gateway's sign-in`. */
  readonly asked: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface WebAnswer {
  readonly url: URL;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Speaks HTTP with a cookie jar; follows nothing by itself, and goes nowhere unencrypted but on this machine. */
export class WebClient implements AsyncDisposable {
  readonly jar = new CookieJar();
  readonly clock: Clock;
  readonly #options: WebClientOptions;
  readonly #roads = new Map<string, { readonly target: ClusterTarget; readonly agent: Agent }>();
  #trust: Promise<Trust> | undefined;

  constructor(options: WebClientOptions) {
    this.#options = options;
    this.clock = options.clock;
  }

  /** Any answer is a success. Rejects with ConnectionLost that begins with `asked` where none came. */
  async send(request: WebRequest): Promise<WebAnswer> {
    const { url, method, asked, signal } = request;
    const { clock, trace, userAgent } = this.#options;
    requireSafe(url, asked);
    const { target, agent } = await this.#road(url);
    const cookies = this.jar.header(url, clock.date());
    const started = clock.now();
    const place = `${method} ${url.origin}${url.pathname}`;
    const deadline = { name: `${asked}: the answer to ${place}`, ms: answerPatienceMs };
    return withDeadline(clock, deadline, signal, async (inTime) => {
      try {
        const headers = {
          'User-Agent': userAgent,
          ...request.headers,
          ...(cookies === undefined ? {} : { Cookie: cookies }),
        };
        const answer = await openRequest({ url, method, headers, body: request.body, agent, signal: inTime });
        this.jar.store(url, answer.headers['set-cookie'] ?? [], clock.date());
        const text = await readBody(answer, maxAnswerBytes);
        const status = answer.statusCode ?? 0;
        trace(`${place}: ${status} after ${Math.round(clock.now() - started)} ms`);
        return { url, status, headers: answer.headers, text };
      } catch (error) {
        inTime.throwIfAborted();
        const { code, message, retry } = connectionError(error, target);
        throw new RunnerError(code, `${asked}: ${message}`, { cause: error, retry });
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { agent } of this.#roads.values()) agent.destroy();
    this.#roads.clear();
  }

  async #road(url: URL): Promise<{ readonly target: ClusterTarget; readonly agent: Agent }> {
    const { environment, clock } = this.#options;
    const known = this.#roads.get(url.origin);
    if (known) return known;
    const server = new URL(url.origin);
    this.#trust ??= systemTrust(environment);
    const trust = { ...(await this.#trust), cure: 'NODE_EXTRA_CA_CERTS=FILE names a further CA to trust' };
    const target = { server, trust, proxy: proxyFor(server, undefined, environment), serverName: undefined };
    const road = { target, agent: clusterAgent(target, undefined, clock) };
    this.#roads.set(url.origin, road);
    return road;
  }
}
