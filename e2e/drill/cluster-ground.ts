import { objectName } from '../../src/executor/object-name.ts';
import { startRelay } from '../relay/relay.ts';
import { ClusterHand } from './cluster-hand.ts';
import { openExecutor } from './executor.ts';
import type { Ground } from './ground.ts';
import { planFaults } from './planned-faults.ts';

export interface ClusterGroundOptions {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly transport: 'api' | 'kubectl';
}

/** A cluster, in a namespace that is there. */
export function clusterGround({ kubeconfig, namespace, transport }: ClusterGroundOptions): Ground {
  const hand = new ClusterHand(kubeconfig, namespace);
  return {
    name: `the namespace ${namespace}`,
    flags: `--kubeconfig ${kubeconfig} --transport ${transport}`,
    planFaults,
    async openRoad({ folder, compress, trace }) {
      const relay = await startRelay({ kubeconfig, folder });
      const end = async (): Promise<void> => await relay[Symbol.asyncDispose]();
      try {
        const road = await openExecutor({
          kubeconfig: relay.kubeconfig,
          namespace,
          transport,
          compress,
          trace,
        });
        return {
          executor: road.executor,
          relay,
          async [Symbol.asyncDispose]() {
            await road[Symbol.asyncDispose]();
            await end();
          },
        };
      } catch (error) {
        await end();
        throw error;
      }
    },
    strike: (runName, how) => hand.takePod(objectName(runName), how),
    leftovers: (runId) => hand.leftovers(runId),
    async [Symbol.asyncDispose]() {},
  };
}

/** A namespace of the drill's own, which goes with the ground. */
export async function ownNamespaceGround(options: ClusterGroundOptions): Promise<Ground> {
  const hand = new ClusterHand(options.kubeconfig, options.namespace);
  await hand.makeNamespace();
  return { ...clusterGround(options), [Symbol.asyncDispose]: () => hand.removeNamespace() };
}
