import type { Clock } from '../../base/clock.ts';
import type { Attributes } from '../auth/rbac.ts';
import type { Tokens, User } from '../auth/tokens.ts';
import type { FaultRule, Faults } from '../faults/rules.ts';
import type { Kubelet } from '../kubelet/kubelet.ts';
import type { KubeObject } from '../store/object.ts';
import type { Registry } from '../store/registry.ts';

/** What the API's handlers work with. */
export interface ApiContext {
  readonly registry: Registry;
  readonly tokens: Tokens;
  readonly faults: Faults;
  readonly kubelet: Kubelet;
  readonly clock: Clock;
  /** Hears of all that was permitted. */
  readonly audit: (user: User, done: Attributes) => void;
  /** No token lasts longer; undefined for no limit. */
  readonly longestTokenSeconds: number | undefined;
  /** The sub-protocols of exec that are offered, best first. */
  readonly execProtocols: readonly string[];
  /** Makes happen what a rule wants to happen to a pod (or to all that run). */
  happen(rule: FaultRule, pod: KubeObject | undefined): void;
  /** Ends a connection in mid-air, with a reset. */
  reset(remotePort: number | undefined): void;
}

/** One request, read and signed in. */
export interface ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly accept: string | undefined;
  readonly contentType: string;
  readonly body: unknown;
  readonly user: User;
  /** Aborted when the client goes away or the cluster ends. */
  readonly signal: AbortSignal;
}

/** An answer: one JSON document, or a stream of chunks. */
export type ApiResponse =
  | { readonly code: number; readonly json: object; readonly warning?: string | undefined }
  | { readonly code: 200; readonly type: string; readonly stream: AsyncIterable<string | Uint8Array> }
  | { readonly code: 200; readonly text: string };
