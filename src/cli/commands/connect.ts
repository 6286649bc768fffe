import type { ClusterConnection } from '../../kube/connect-to-cluster.ts';
import type { KubeApi } from '../../kube/kube-api.ts';
import { withRetries } from '../../kube/retries.ts';
import type { ConnectionOptions } from '../options/run-options.ts';
import { programName } from '../program-name.ts';
import { readVersion } from '../version.ts';
import type { ExecutorRequest } from './executor-request.ts';

export interface Connection extends AsyncDisposable {
  readonly api: KubeApi;
  /** Absent with kubectl, which keeps its credentials to itself. */
  readonly expiry?: ClusterConnection['credentialExpiry'];
}

/** The road to a cluster by either transport. Rejects with BadInput where none is configured, or wrongly. */
export async function connect(
  { context, clock, trace }: Pick<ExecutorRequest, 'context' | 'clock' | 'trace'>,
  cluster: ConnectionOptions,
): Promise<Connection> {
  const { kubeconfig, namespace, transport, kubectl } = cluster;
  const { process, homeFolder } = context;
  const common = { environment: process.env, kubeconfig, context: cluster.context, namespace, clock, trace };
  const retried = (api: KubeApi): KubeApi => withRetries(api, clock, { random: Math.random, trace });
  if (transport === 'kubectl') {
    const { connectByKubectl } = await import('../../executor/kubernetes/kubectl/kubectl-api.ts');
    const api = await connectByKubectl({ ...common, program: kubectl });
    return { api: retried(api), [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
  }
  const { connectToCluster } = await import('../../kube/connect-to-cluster.ts');
  const connection = await connectToCluster({
    ...common,
    homeFolder,
    userAgent: `${programName}/${await readVersion()}`,
    ...(process.stdin.isTTY ? { showToPerson: (text: string) => process.stderr.write(text) } : {}),
  });
  return {
    api: retried(connection),
    expiry: (signal) => connection.credentialExpiry(signal),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}
