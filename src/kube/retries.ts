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

/**
 * Repeats what is safe to repeat while the error says that it may help: GET and DELETE, and a question of rights
 * that the server refused. POST and PATCH go through as they are, and so does an exec: whoever opens one knows
 * how long to try, and whom to tell.
 */
export function withRetries(api: KubeApi, clock: Clock, options: RetryOptions): KubeApi {
  return {
    server: api.server,
    namespace: api.namespace,
    request: <T>(call: ApiCall, schema: ZodType<T>): Promise<T> => {
      const isQuestion = call.path.startsWith('/apis/authorization.k8s.io/');
      if (call.method !== 'GET' && call.method !== 'DELETE' && !isQuestion) return api.request(call, schema);
      const name = `${call.method} ${call.path}`;
      const how = { name, signal: call.signal, clock, options };
      return retried(() => api.request(call, schema), isQuestion ? { ...how, only: isAnswered } : how);
    },
    watch: (call: WatchCall) => api.watch(call),
    exec: (call: ExecCall) => api.exec(call),
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

const isAnswered = (error: RunnerError): boolean => error.code !== 'ConnectionLost';

interface Retried {
  readonly name: string;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
  readonly options: RetryOptions;
  readonly only?: (error: RunnerError) => boolean;
}

async function retried<T>(attempt: () => Promise<T>, how: Retried): Promise<T> {
  const { clock, options, signal, only = () => true } = how;
  const { totalMs = 60_000, firstDelayMs = 250, longestDelayMs = 10_000 } = options;
  const giveUpAt = clock.now() + totalMs;
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof RunnerError) || !error.retry || !only(error)) throw error;
      const backOff = Math.min(longestDelayMs, firstDelayMs * 2 ** tries);
      const delay = Math.max(error.retryAfterMs ?? 0, backOff * (0.5 + options.random() / 2));
      if (clock.now() + delay > giveUpAt) throw error;
      options.trace(`${how.name}: ${error.message}; again in ${(delay / 1000).toFixed(1)} s`);
      await clock.sleep(delay, signal);
    }
  }
}
