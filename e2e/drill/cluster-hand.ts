import { setTimeout as delay } from 'node:timers/promises';
import { ApiException, BatchV1Api, CoreV1Api, KubeConfig, NetworkingV1Api } from '@kubernetes/client-node';
import { labels } from '../../src/executor/kubernetes/object-names.ts';

/** A NetworkPolicy whose owner is gone is collected by the cluster, which takes it a moment. */
const collectionMs = 15_000;

/** Looks at the cluster itself, past the relay and by a client that is not the product's, and meddles with it. */
export class ClusterHand {
  readonly #namespace: string;
  readonly #core: CoreV1Api;
  readonly #batch: BatchV1Api;
  readonly #networking: NetworkingV1Api;

  constructor(kubeconfig: string, namespace: string) {
    const config = new KubeConfig();
    config.loadFromFile(kubeconfig);
    this.#namespace = namespace;
    this.#core = config.makeApiClient(CoreV1Api);
    this.#batch = config.makeApiClient(BatchV1Api);
    this.#networking = config.makeApiClient(NetworkingV1Api);
  }

  async makeNamespace(): Promise<void> {
    await this.#core.createNamespace({ body: { metadata: { name: this.#namespace } } });
  }

  async removeNamespace(): Promise<void> {
    await this.#core.deleteNamespace({ name: this.#namespace });
  }

  /** Evicts or deletes the pod of a run; false where it has none. */
  async takePod(job: string, how: string): Promise<boolean> {
    const pods = await this.#core.listNamespacedPod({
      namespace: this.#namespace,
      labelSelector: `batch.kubernetes.io/job-name=${job}`,
    });
    const name = pods.items[0]?.metadata?.name;
    if (name === undefined) return false;
    const target = { namespace: this.#namespace, name };
    if (how === 'delete-pod') return wasThere(this.#core.deleteNamespacedPod(target));
    const evicted = await wasThere(
      this.#core.createNamespacedPodEviction({ ...target, body: { metadata: target } }),
    );
    return evicted || wasThere(this.#core.deleteNamespacedPod(target)); // not every cluster knows evictions
  }

  /** What a run has left, by kind and name. */
  async leftovers(runId: string): Promise<string[]> {
    const query = { namespace: this.#namespace, labelSelector: `${labels.run}=${runId}` };
    const [jobs, pods] = await Promise.all([
      this.#batch.listNamespacedJob(query),
      this.#core.listNamespacedPod(query),
    ]);
    const until = performance.now() + collectionMs;
    let policies = (await this.#networking.listNamespacedNetworkPolicy(query)).items;
    const isOwned = jobs.items.length + pods.items.length > 0;
    while (policies.length > 0 && !isOwned && performance.now() < until) {
      await delay(500);
      policies = (await this.#networking.listNamespacedNetworkPolicy(query)).items;
    }
    return [
      ...jobs.items.map(({ metadata }) => `Job ${metadata?.name}`),
      ...pods.items.map(({ metadata }) => `pod ${metadata?.name}`),
      ...policies.map(({ metadata }) => `NetworkPolicy ${metadata?.name}`),
    ];
  }
}

async function wasThere(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof ApiException && error.code === 404) return false;
    throw error;
  }
}
