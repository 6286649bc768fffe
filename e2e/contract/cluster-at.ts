import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import type { Cluster, ClusterAbilities } from './cluster.ts';
import type { ClusterView } from './cluster-view.ts';
import { kubernetesExecutor } from './kubernetes-executor.ts';
import { type Ability, able, unable } from './venue.ts';

export interface ClusterOptions {
  readonly name: string;
  readonly kubeconfig: string;
  readonly view: ClusterView;
  readonly can: Omit<ClusterAbilities, 'kubectl'>;
  readonly evict: Cluster['evict'];
  readonly used: Cluster['used'];
  /** Ends the cluster, if it is the suite's own. */
  readonly end: () => Promise<void>;
}

/** A cluster as the suite needs it, with namespaces of the suite's own that are removed in the end. */
export async function clusterAt(options: ClusterOptions): Promise<Cluster> {
  const { name, kubeconfig, view, can, evict, end } = options;
  const namespaces: string[] = [];

  async function makeNamespace(labels: Readonly<Record<string, string>> = {}): Promise<string> {
    const namespace = `knotless-e2e-${randomUUID().slice(0, 8)}`;
    await view.core.createNamespace({ body: { metadata: { name: namespace, labels: { ...labels } } } });
    namespaces.push(namespace);
    return namespace;
  }

  const namespace = await makeNamespace();
  return {
    name,
    kubeconfig,
    namespace,
    view,
    makeNamespace,
    evict,
    used: options.used,
    can: { ...can, kubectl: await abilityOfKubectl() },
    executor: (settings) => kubernetesExecutor({ kubeconfig, namespace, ...settings }),
    async [Symbol.asyncDispose]() {
      await Promise.all(namespaces.map((made) => view.core.deleteNamespace({ name: made })));
      await end();
    },
  };
}

async function abilityOfKubectl(): Promise<Ability> {
  try {
    await promisify(execFile)('kubectl', ['version', '--client']);
    return able;
  } catch {
    return unable('there is no kubectl on PATH');
  }
}
