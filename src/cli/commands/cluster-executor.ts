import type { Observer } from '../../executor/executor.ts';
import { createKubernetesExecutor } from '../../executor/kubernetes/kubernetes-executor.ts';
import type { Packing } from '../../executor/step-protocol/packing.ts';
import type { ClusterConnection } from '../../kube/connect-to-cluster.ts';
import { connectToCluster } from '../../kube/connect-to-cluster.ts';
import { withRetries } from '../../kube/retries.ts';
import { readVersion } from '../version.ts';
import type { ExecutorRequest, OpenExecutor } from './open-executor.ts';

/** Runs on the cluster of a kubeconfig, or on the one that this process is in. */
export async function clusterExecutor(request: ExecutorRequest): Promise<OpenExecutor> {
  const { options, plan, clock, trace } = request;
  const connection = await connect(request);
  const api = withRetries(connection, clock, { random: Math.random, trace });
  const executor = createKubernetesExecutor({
    api,
    pod: plan.pod,
    packing: packingFor(options.compress, connection.server),
    clock,
  });
  return {
    executor: {
      async open(openRequest, observer, signal) {
        const { readyMs, stepsMs } = openRequest.limits;
        await warnOfExpiry(connection, readyMs + stepsMs, observer, signal);
        return executor.open(openRequest, observer, signal);
      },
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

async function connect({ options, context, clock, trace }: ExecutorRequest): Promise<ClusterConnection> {
  const { kubeconfig, context: contextName, namespace } = options.cluster;
  const { process, homeFolder } = context;
  const isAttended = 'isTTY' in process.stdin && process.stdin.isTTY === true;
  const showToPerson = (text: string): void => {
    process.stderr.write(text);
  };
  return await connectToCluster({
    environment: process.env,
    homeFolder,
    kubeconfig,
    context: contextName,
    namespace,
    clock,
    trace,
    userAgent: `knotless-runner-k8s/${await readVersion()}`,
    ...(isAttended ? { showToPerson } : {}),
  });
}

/** Packing pays on the way to another machine only. */
export function packingFor(compress: 'auto' | 'gzip' | 'none', server: string): Packing {
  if (compress !== 'auto') return compress;
  const { hostname } = new URL(server);
  return /^(localhost|127\.[0-9.]+|\[::1\])$/.test(hostname) ? 'none' : 'gzip';
}

/** A token that ends before the run may do so leaves a Job that nobody can delete. */
async function warnOfExpiry(
  connection: ClusterConnection,
  longestRunMs: number,
  observer: Observer,
  signal: AbortSignal,
): Promise<void> {
  const expiry = await connection.credentialExpiry(signal);
  if (expiry === null || expiry.renewable) return;
  // The token's own time is a date, so this is the one place where dates must be compared.
  const leftMs = expiry.at.getTime() - Date.now();
  if (leftMs >= longestRunMs) return;
  observer.warning(
    `the credentials for ${connection.server} end at ${expiry.at.toISOString()}, before a run of the longest allowed time would; get newer ones, or give a shorter --timeout`,
  );
}
