import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Cluster } from './contract/cluster.ts';
import { clusterAt } from './contract/cluster-at.ts';
import { ClusterView } from './contract/cluster-view.ts';
import { debian } from './contract/images.ts';
import { type Ability, able, unable } from './contract/venue.ts';

/** The cluster that KUBECONFIG names. */
export async function realCluster(): Promise<Cluster> {
  const kubeconfig = process.env.KUBECONFIG?.split(delimiter)[0];
  if (!kubeconfig) throw new Error('KUBECONFIG names no cluster: see e2e/cluster/README.md');
  const view = new ClusterView(kubeconfig);
  const nodes = (await view.core.listNode()).items;
  const images = nodes.flatMap(({ status }) => status?.images ?? []).flatMap(({ names }) => names ?? []);
  const image = (name: string): Ability =>
    images.some((known) => known.endsWith(`/${name}`)) ? able : unable(`no node of the cluster has ${name}`);
  const audit = join(dirname(kubeconfig), 'audit.log');
  return await clusterAt({
    name: `Kubernetes ${nodes[0]?.status?.nodeInfo?.kubeletVersion}`,
    kubeconfig,
    view,
    can: {
      image,
      admission: able,
      limits: able,
      references: able,
      git:
        'able' in image(debian.name)
          ? { able: debian.name }
          : unable(`no node of the cluster has ${debian.name}`),
      pulls: able,
      auditLog: existsSync(audit) ? { able: audit } : unable(`the API server keeps no ${audit}`),
    },
    evict: async (namespace, name) => {
      await view.core.createNamespacedPodEviction({
        namespace,
        name,
        body: { metadata: { name, namespace } },
      });
    },
    used: unable('the audit log of the cluster holds no reads'),
    end: async () => {},
  });
}
