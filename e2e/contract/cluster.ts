import type { Container } from 'kubernetes-types/core/v1.js';
import type { Executor } from '../../src/executor/executor.ts';
import type { ClusterView } from './cluster-view.ts';
import type { Abilities, Ability, SandboxSettings, Transport } from './venue.ts';

/** The cluster at hand, for what only a cluster has. */
export interface Cluster extends AsyncDisposable {
  /** As test names show it. */
  readonly name: string;
  /** A kubeconfig file that may do everything. */
  readonly kubeconfig: string;
  /** A namespace of this suite's own. */
  readonly namespace: string;
  /** The objects, as a third party sees them: by a client that is not the product's. */
  readonly view: ClusterView;
  readonly can: ClusterAbilities;
  /** Has a running pod evicted, with the means that the cluster has for it. */
  evict(namespace: string, pod: string): Promise<void>;
  /** A further namespace, removed with the cluster's own; its name. */
  makeNamespace(labels?: Readonly<Record<string, string>>): Promise<string>;
  executor(settings: PlaceSettings): Executor;
  /** Tells the rights that a user has made use of so far, by name. */
  readonly used: Ability<(user: string) => ReadonlySet<string>>;
}

export interface PlaceSettings extends SandboxSettings {
  readonly transport: Transport;
  /** The suite's own by default. */
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** A strategic merge patch of the pod's spec, as `--pod-patch` takes it. */
  readonly patch?: Readonly<Record<string, unknown>>;
  /** A container that something in the cluster puts before the run's own. */
  readonly injected?: Container;
}

export interface ClusterAbilities extends Pick<Abilities, 'image' | 'git' | 'pulls'> {
  /** `kubectl` is on PATH. */
  readonly kubectl: Ability;
  /** Namespaces are kept, with PodSecurity and ResourceQuota; the scheduler heeds selectors. */
  readonly admission: Ability;
  /** A container's memory limit and a volume's size limit are enforced, and a LimitRange is heeded. */
  readonly limits: Ability;
  /** A pod's variables may come from Secrets. */
  readonly references: Ability;
  /** Where the API server writes down what it was asked. */
  readonly auditLog: Ability<string>;
}
