import { systemClock } from '../src/base/clock.ts';
import { startEmbeddedCluster } from '../src/embedded/cluster.ts';
import { able, type Cluster, unable } from './contract/cluster.ts';
import { clusterAt } from './contract/cluster-at.ts';
import { ClusterView } from './contract/cluster-view.ts';
import { temporaryFolder } from './contract/folders.ts';

/** An embedded cluster of the suite's own. */
export async function embeddedCluster(): Promise<Cluster> {
  const cluster = await startEmbeddedCluster({ folder: await temporaryFolder(), clock: systemClock() });
  return await clusterAt({
    name: 'embedded',
    kubeconfig: cluster.kubeconfigPath,
    view: new ClusterView(cluster.kubeconfigPath),
    can: {
      image: (name) =>
        name === 'busybox:1.36'
          ? able
          : unable('the embedded cluster makes every pod of this machine’s programs'),
      admission: able,
      pulls: unable('the embedded cluster pulls no image'),
      auditLog: unable('the embedded cluster keeps no audit log'),
    },
    end: async () => {
      await cluster[Symbol.asyncDispose]();
    },
  });
}
