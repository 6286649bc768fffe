import type { Observer } from '../../executor/executor.ts';
import { createKubernetesExecutor } from '../../executor/kubernetes/kubernetes-executor.ts';
import type { KubeApi } from '../../kube/kube-api.ts';
import type { CliContext } from '../cli-context.ts';
import type { ClusterOptions } from '../options/run-options.ts';
import type { Connection } from './connect.ts';
import { connect } from './connect.ts';
import type { ExecutorRequest, OpenExecutor } from './executor-request.ts';

/** Runs on the cluster of a kubeconfig, or on the one that this process is in. */
export async function clusterExecutor(request: ExecutorRequest): Promise<OpenExecutor> {
  const { options, plan, clock } = request;
  const connection = await connect(request, options.cluster);
  const { api } = connection;
  const executor = createKubernetesExecutor({ api, pod: plan.pod, compress: options.compress, clock });
  return {
    executor: {
      async open(openRequest, observer, signal) {
        const { readyMs, stepsMs } = openRequest.limits;
        await warnOfExpiry(connection, readyMs + stepsMs, observer, signal);
        return executor.open(openRequest, observer, signal);
      },
      adopt: executor.adopt,
    },
    cluster: { name: clusterName(options.cluster, api, request.context), namespace: api.namespace },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

/** kubectl does not tell which server it speaks to. */
function clusterName(cluster: ClusterOptions, { server }: KubeApi, { process }: CliContext): string {
  if (cluster.transport === 'api') return server;
  return ['kubectl', cluster.kubeconfig ?? process.env.KUBECONFIG ?? '', cluster.context ?? ''].join(' ');
}

/** A token that ends before the run may do so leaves a Job that nobody can delete. */
async function warnOfExpiry(
  { api, expiry }: Connection,
  longestRunMs: number,
  observer: Observer,
  signal: AbortSignal,
): Promise<void> {
  const known = await expiry?.(signal);
  // The end of a token is a date, so here two dates have to be compared.
  if (!known || known.renewable || known.at.getTime() - Date.now() >= longestRunMs) return;
  observer.warning(
    `the credentials for ${api.server} end at ${known.at.toISOString()}, before a run of the longest allowed time would; get newer ones, or give a shorter --timeout`,
  );
}
