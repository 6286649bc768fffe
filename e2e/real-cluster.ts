import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Ability, able, type Cluster, unable } from './contract/cluster.ts';
import { ClusterView } from './contract/cluster-view.ts';
import { kubernetesExecutor } from './contract/kubernetes-executor.ts';

/** The cluster that KUBECONFIG names, with namespaces of this suite's own that are removed in the end. */
export async function realCluster(): Promise<Cluster> {
  const kubeconfig = process.env.KUBECONFIG?.split(delimiter)[0];
  if (!kubeconfig) throw new Error('KUBECONFIG names no cluster: see e2e/cluster/README.md');
  const view = new ClusterView(kubeconfig);
  const namespaces: string[] = [];

  async function makeNamespace(labels: Readonly<Record<string, string>> = {}): Promise<string> {
    const name = `knotless-e2e-${randomUUID().slice(0, 8)}`;
    await view.core.createNamespace({ body: { metadata: { name, labels: { ...labels } } } });
    namespaces.push(name);
    return name;
  }

  const [nodes, kubectl, namespace] = await Promise.all([
    view.core.listNode(),
    abilityOfKubectl(),
    makeNamespace(),
  ]);
  const images = nodes.items
    .flatMap(({ status }) => status?.images ?? [])
    .flatMap(({ names }) => names ?? []);
  const audit = join(dirname(kubeconfig), 'audit.log');

  return {
    name: `Kubernetes ${nodes.items[0]?.status?.nodeInfo?.kubeletVersion}`,
    kubeconfig,
    namespace,
    view,
    makeNamespace,
    can: {
      kubectl,
      image: (name) =>
        images.some((known) => known.endsWith(`/${name}`))
          ? able
          : unable(`no node of the cluster has ${name}`),
      admission: able,
      pulls: able,
      auditLog: existsSync(audit) ? { able: audit } : unable(`the API server keeps no ${audit}`),
    },
    executor: (settings) => kubernetesExecutor({ kubeconfig, namespace, ...settings }),
    async [Symbol.asyncDispose]() {
      await Promise.all(namespaces.map((name) => view.core.deleteNamespace({ name })));
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
