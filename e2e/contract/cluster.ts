import type { Container } from 'kubernetes-types/core/v1.js';
import type { Executor } from '../../src/executor/executor.ts';
import type { ClusterView } from './cluster-view.ts';

/** The cluster at hand: the same contract holds on each, as far as it can do what a test needs. */
export interface Cluster extends AsyncDisposable {
  /** As test names show it. */
  readonly name: string;
  /** A kubeconfig file that may do everything. */
  readonly kubeconfig: string;
  /** A namespace of this suite's own. */
  readonly namespace: string;
  /** The objects, as a third party sees them: by a client that is not the product's. */
  readonly view: ClusterView;
  readonly can: Abilities;
  /** Has a running pod evicted, with the means that the cluster has for it. */
  evict(namespace: string, pod: string): Promise<void>;
  /** A further namespace, removed with the cluster's own; its name. */
  makeNamespace(labels?: Readonly<Record<string, string>>): Promise<string>;
  executor(settings: PlaceSettings): Executor;
}

export type Transport = 'api' | 'kubectl';

export interface PlaceSettings {
  readonly transport: Transport;
  /** The suite's own by default. */
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly profile?: 'baseline' | 'restricted';
  readonly pull?: 'always' | 'missing' | 'never';
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly memory?: string;
  readonly cpu?: string;
  readonly user?: { readonly uid: number; readonly gid: number | undefined };
  /** A strategic merge patch of the pod's spec, as `--pod-patch` takes it. */
  readonly patch?: Readonly<Record<string, unknown>>;
  /** A container that something in the cluster puts before the run's own. */
  readonly injected?: Container;
}

/** What a test may count on. Each that is missing is a reason why the test is skipped, as a sentence. */
export interface Abilities {
  /** `kubectl` is on PATH. */
  readonly kubectl: Ability;
  /** A container holds what its image holds, and nothing else. */
  readonly image: (name: string) => Ability;
  /** Namespaces are kept, with PodSecurity and ResourceQuota; the scheduler heeds selectors. */
  readonly admission: Ability;
  /** A container's memory limit and a volume's size limit are enforced, and a LimitRange is heeded. */
  readonly limits: Ability;
  /** A pod's variables may come from Secrets. */
  readonly references: Ability;
  /** An image with git in it. */
  readonly git: Ability<string>;
  /** Images are looked for in registries. */
  readonly pulls: Ability;
  /** Where the API server writes down what it was asked. */
  readonly auditLog: Ability<string>;
}

export type Ability<T = true> = { readonly able: T } | { readonly unable: string };

export const able = { able: true } as const;
export const unable = (reason: string): { readonly unable: string } => ({ unable: reason });
