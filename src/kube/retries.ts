import type { ZodType } from 'zod';
import type { Clock } from '../base/clock.ts';
import { RunnerError } from '../base/errors.ts';
import type { ApiCall, ExecCall, KubeApi, WatchCall } from './kube-api.ts';

export interface RetryOptions {
  /** From the first try to the last, in milliseconds. Default 60 s. */
  readonly totalMs?: number;
  /** Default 250 ms; doubled each time. */
  readonly firstDelayMs?: number;
  /** Default 10 s. A server that asks for longer is obeyed, within the total. */
  readonly longestDelayMs?: number;
  /** In [0, 1). */
  readonly random: () => number;
  /** One line for each try that failed; holds no credential. */
  readonly trace: (message: string) => void;
}

/** The question of rights is the first contact: nobody there is told soon, one connection that broke is not. */
const firstContactMs = 5_000;

/**
 * Repeats what is safe to repeat while the error says that it may help: GET and DELETE, and questions of rights.
 * POST and PATCH go through as they are, and so does an exec: whoever opens one knows how long to try, and whom
 * to tell.
 */
export function withRetries(api: KubeApi, clock: Clock, options: RetryOptions): KubeApi {
  const { totalMs = 60_000 } = options;
  return {
    server: api.server,
    namespace: api.namespace,
    request: <T>(call: ApiCall, schema: ZodType<T>): Promise<T> => {
      const isQuestion = call.path.startsWith('/apis/authorization.k8s.io/');
      if (call.method !== 'GET' && call.method !== 'DELETE' && !isQuestion) return api.request(call, schema);
      const name = `${call.method} ${call.path}`;
      const lostMs = isQuestion ? firstContactMs : totalMs;
      const { signal } = call;
      return retried(() => api.request(call, schema), { name, signal, clock, options, totalMs, lostMs });
    },
    watch: (call: WatchCall) => api.watch(call),
    exec: (call: ExecCall) => api.exec(call),
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

interface Retried {
  readonly name: string;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
  readonly options: RetryOptions;
  readonly totalMs: number;
  /** The same for a connection that broke. */
  readonly lostMs: number;
}

async function retried<T>(attempt: () => Promise<T>, how: Retried): Promise<T> {
  const { clock, options, signal } = how;
  const { firstDelayMs = 250, longestDelayMs = 10_000 } = options;
  const began = clock.now();
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof RunnerError) || !error.retry) throw error;
      const patienceMs = error.code === 'ConnectionLost' ? how.lostMs : how.totalMs;
      const backOff = Math.min(longestDelayMs, firstDelayMs * 2 ** tries);
      const delay = Math.max(error.retryAfterMs ?? 0, backOff * (0.5 + options.random() / 2));
      if (clock.now() + delay > began + patienceMs) throw error;
      options.trace(`${how.name}: ${error.message}; again in ${(delay / 1000).toFixed(1)} s`);
      await clock.sleep(delay, signal);
    }
  }
}
