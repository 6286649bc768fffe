import type { ZodType } from 'zod';
import type { ExecSession } from '../base/exec-session.ts';

/**
 * A Kubernetes API, by whatever road. Every failure is a RunnerError: `Unauthorized` (401), `Forbidden` (403),
 * `NotFound` (404), `AlreadyExists` or `Conflict` (409), `Throttled` (429, 503; with the server's Retry-After),
 * `ApiRefused` (other answers), `ConnectionLost` (no answer).
 */
export interface KubeApi extends AsyncDisposable {
  /** The server as messages name it; holds no credential. */
  readonly server: string;
  /** The namespace that the kubeconfig's context or the caller chose. */
  readonly namespace: string;
  /** One request. The answer is checked against `schema`. */
  request<T>(call: ApiCall, schema: ZodType<T>): Promise<T>;
  /** Watch events as they come; ends when the server ends the watch, throws when it breaks. */
  watch(call: WatchCall): AsyncIterable<WatchEvent>;
  exec(call: ExecCall): Promise<ExecSession>;
}

export interface ApiCall {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'PATCH';
  /** Absolute, as the API has it: `/apis/batch/v1/namespaces/default/jobs`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** JSON; a PATCH is sent as a merge patch. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** For the whole answer, in milliseconds. Default 30 s. */
  readonly timeoutMs?: number;
}

export interface WatchCall {
  readonly path: string;
  /** `watch=1` is added. */
  readonly query?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: unknown;
}

export type ExecProtocol = 'v5.channel.k8s.io' | 'v4.channel.k8s.io';

export interface ExecCall {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly command: readonly string[];
  readonly signal: AbortSignal;
  /** Only these sub-protocols; all that are known by default. kubectl chooses by itself. */
  readonly protocols?: readonly ExecProtocol[];
  /** For the opening of the stream, in milliseconds. Default 30 s. */
  readonly timeoutMs?: number;
}
