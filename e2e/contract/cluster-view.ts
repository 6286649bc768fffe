import {
  ApiException,
  BatchV1Api,
  CoreV1Api,
  KubeConfig,
  NetworkingV1Api,
  PatchStrategy,
  RbacAuthorizationV1Api,
  setHeaderOptions,
  type V1Job,
  type V1NetworkPolicy,
  type V1Pod,
  type V1PolicyRule,
} from '@kubernetes/client-node';

/** All that a run has on the cluster. */
export interface RunObjects {
  readonly jobs: readonly V1Job[];
  readonly pods: readonly V1Pod[];
  readonly policies: readonly V1NetworkPolicy[];
}

/** Looks at a cluster, and meddles with it, as somebody other than the runner does. */
export class ClusterView {
  readonly core: CoreV1Api;
  readonly batch: BatchV1Api;
  readonly #networking: NetworkingV1Api;
  readonly #rbac: RbacAuthorizationV1Api;
  readonly #config: KubeConfig;

  constructor(kubeconfig: string) {
    const config = new KubeConfig();
    config.loadFromFile(kubeconfig);
    this.core = config.makeApiClient(CoreV1Api);
    this.batch = config.makeApiClient(BatchV1Api);
    this.#config = config;
    this.#rbac = config.makeApiClient(RbacAuthorizationV1Api);
    this.#networking = config.makeApiClient(NetworkingV1Api);
  }

  /** The Job of that name, the pods that it made, orphans too, and the policies named for it. */
  async objectsOf(namespace: string, job: string): Promise<RunObjects> {
    const [jobs, pods, policies] = await Promise.all([
      this.batch.listNamespacedJob({ namespace }),
      this.core.listNamespacedPod({ namespace }),
      this.#networking.listNamespacedNetworkPolicy({ namespace }),
    ]);
    return {
      jobs: jobs.items.filter(({ metadata }) => metadata?.name === job),
      pods: pods.items.filter(({ metadata }) => metadata?.labels?.['batch.kubernetes.io/job-name'] === job),
      policies: policies.items.filter(({ metadata }) => metadata?.name?.startsWith(job)),
    };
  }

  /** A ServiceAccount with these rights in its namespace; a token of it. */
  async makeAccount(namespace: string, name: string, rules: V1PolicyRule[]): Promise<string> {
    await this.core.createNamespacedServiceAccount({ namespace, body: { metadata: { name } } });
    await this.#rbac.createNamespacedRole({ namespace, body: { metadata: { name }, rules } });
    await this.#rbac.createNamespacedRoleBinding({
      namespace,
      body: {
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
        subjects: [{ kind: 'ServiceAccount', name, namespace }],
      },
    });
    const request = { spec: { audiences: [], expirationSeconds: 3600 } };
    const made = await this.core.createNamespacedServiceAccountToken({ namespace, name, body: request });
    return made.status?.token ?? '';
  }

  /** The text of a kubeconfig for the same cluster. */
  kubeconfigWith(token: string, namespace: string): string {
    const config = new KubeConfig();
    const cluster = this.#config.getCurrentCluster();
    if (!cluster) throw new Error('the kubeconfig names no cluster');
    config.loadFromClusterAndUser(cluster, { name: 'account', token });
    config.contexts = config.contexts.map((context) => ({ ...context, namespace }));
    return config.exportConfig();
  }

  /** A merge patch of a Job's spec. */
  async changeJob(namespace: string, name: string, spec: Readonly<Record<string, unknown>>): Promise<void> {
    const asMergePatch = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
    await this.batch.patchNamespacedJob({ namespace, name, body: { spec } }, asMergePatch);
  }

  /** Gives a pod these finalizers, without which it goes. */
  async holdPod(namespace: string, name: string, finalizers: readonly string[]): Promise<void> {
    const asMergePatch = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
    const body = { metadata: { finalizers: [...finalizers] } };
    await this.core.patchNamespacedPod({ namespace, name, body }, asMergePatch);
  }

  /** Null where it is not there. */
  async pod(namespace: string, name: string): Promise<V1Pod | null> {
    return await orNull(this.core.readNamespacedPod({ namespace, name }));
  }

  /** Null where it is not there. */
  async job(namespace: string, name: string): Promise<V1Job | null> {
    return await orNull(this.batch.readNamespacedJob({ namespace, name }));
  }
}

async function orNull<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ApiException && error.code === 404) return null;
    throw error;
  }
}
