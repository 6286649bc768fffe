import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { RunnerError } from '../../base/errors.ts';
import { startEmbeddedCluster } from '../../embedded/cluster.ts';
import { createKubernetesExecutor } from '../../executor/kubernetes/kubernetes-executor.ts';
import { connect } from './connect.ts';
import type { ExecutorRequest, OpenExecutor } from './executor-request.ts';

/**
 * Runs on a cluster of the run's own, which starts with the run and ends with this executor. That it cannot start
 * is the run's failure, so that the result tells it.
 */
export function embeddedExecutor(request: ExecutorRequest): OpenExecutor {
  const { options, plan, clock, context } = request;
  const toClose: AsyncDisposable[] = [];
  return {
    executor: {
      async open(openRequest, observer, signal) {
        const folder = await mkdtemp(join(context.tempFolder, 'knotless-cluster-'));
        const cluster = await startEmbeddedCluster({ folder, clock, signal });
        toClose.push(cluster);
        const connection = await connect(request, { ...options.cluster, kubeconfig: cluster.kubeconfigPath });
        toClose.push(connection);
        const { compress } = options;
        const { api } = connection;
        const { notices } = cluster;
        const executor = createKubernetesExecutor({ api, pod: plan.pod, compress, clock, notices });
        return executor.open(openRequest, observer, signal);
      },
      async adopt() {
        throw new RunnerError(
          'NotFound',
          'the embedded cluster of a run ends with its process, and the run with it',
        );
      },
    },
    async [Symbol.asyncDispose]() {
      for (const part of toClose.reverse()) await part[Symbol.asyncDispose]();
    },
  };
}
