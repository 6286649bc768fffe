import { systemClock } from '../src/base/clock.ts';
import { startEmbeddedCluster } from '../src/embedded/cluster.ts';
import { rightName } from '../src/kube/access-review.ts';
import type { Cluster } from './contract/cluster.ts';
import { clusterAt } from './contract/cluster-at.ts';
import { ClusterView } from './contract/cluster-view.ts';
import { temporaryFolder } from './contract/folders.ts';
import { able, unable } from './contract/venue.ts';

/** An embedded cluster of the suite's own. */
export async function embeddedCluster(): Promise<Cluster> {
  const used = new Map<string, Set<string>>();
  const cluster = await startEmbeddedCluster({
    folder: await temporaryFolder(),
    clock: systemClock(),
    audit: ({ name }, { verb, group, resource: path }) => {
      const [resource = '', subresource] = path.split('/');
      const what = { verb, group, resource, ...(subresource === undefined ? {} : { subresource }) };
      used.set(name, (used.get(name) ?? new Set()).add(rightName(what)));
    },
  });
  const view = new ClusterView(cluster.kubeconfigPath);
  return await clusterAt({
    name: 'embedded',
    kubeconfig: cluster.kubeconfigPath,
    view,
    can: {
      image: (name) =>
        name === 'busybox:1.36'
          ? able
          : unable('the embedded cluster makes every pod of this machine’s programs'),
      admission: able,
      limits: unable('the embedded cluster enforces no limits of memory and of volumes, and no LimitRange'),
      references: unable('the embedded cluster gives a pod no variables from Secrets'),
      git: { able: 'busybox:1.36' },
      pulls: unable('the embedded cluster pulls no image'),
      auditLog: unable('the embedded cluster keeps no audit log'),
    },
    evict: async (namespace, name) => {
      cluster.faults.add({ do: 'evict', kind: 'get-pod', match: name, times: 1 });
      await view.core.readNamespacedPod({ namespace, name });
    },
    used: { able: (user) => used.get(user) ?? new Set() },
    end: async () => {
      await cluster[Symbol.asyncDispose]();
    },
  });
}
