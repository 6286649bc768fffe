import type { Clock } from '../base/clock.ts';
import { badInput } from '../base/errors.ts';
import type { CredentialExpiry } from './credentials/credential.ts';
import { HttpsKubeApi } from './https-kube-api.ts';
import { impersonationHeaders } from './impersonation.ts';
import { inCluster, serviceAccountFolder } from './in-cluster.ts';
import type { KubeApi } from './kube-api.ts';
import { targetOf } from './kube-cluster.ts';
import { kubeConfigCandidates, loadKubeConfig } from './kube-config-files.ts';
import { chooseContext } from './kube-context.ts';
import { credentialsOf } from './kube-user.ts';

export interface ClusterConnectionOptions {
  /** Read for KUBECONFIG, the proxy variables, and given to credential plugins. */
  readonly environment: NodeJS.ProcessEnv;
  readonly homeFolder: string;
  /** `--kubeconfig`. */
  readonly kubeconfig?: string | undefined;
  /** `--context`; the kubeconfig's current one without it. */
  readonly context?: string | undefined;
  /** `--namespace`; the context's own without it, then `default`. */
  readonly namespace?: string | undefined;
  readonly clock: Clock;
  /** One line for each request, for `--verbose`; never a header or a credential. */
  readonly trace: (message: string) => void;
  readonly userAgent?: string;
  /**
   * Only where standard input is a terminal: a credential plugin may ask there, and what it writes to its
   * standard error comes here.
   */
  readonly showToPerson?: (text: string) => void;
  readonly serviceAccountFolder?: string;
}

export interface ClusterConnection extends KubeApi {
  /**
   * When the credentials end, for a warning before a run; null where that is not known. May run a credential
   * plugin, and rejects as a request would.
   */
  credentialExpiry(signal?: AbortSignal): Promise<CredentialExpiry | null>;
}

/**
 * The cluster that a kubeconfig names, found and read as kubectl does, or else the one in whose pod we run.
 * Sends nothing yet. Rejects with BadInput that names the file, what is wrong with it and what to do.
 */
export async function connectToCluster(options: ClusterConnectionOptions): Promise<ClusterConnection> {
  const { environment, homeFolder, clock, trace, userAgent = 'knotless-runner-k8s' } = options;
  const place = { environment, homeFolder, explicitFile: options.kubeconfig };
  const closing = new AbortController();
  const common = { clock, trace, userAgent, closing };
  const loaded = await loadKubeConfig(place);
  if (loaded) {
    const context = chooseContext(loaded, options.context);
    const target = await targetOf(context, environment);
    const { showToPerson } = options;
    const surroundings = { clock, environment, trace, showToPerson, closing: closing.signal };
    const credentials = await credentialsOf(context, target, surroundings);
    const namespace = options.namespace || context.namespace || 'default';
    const where = `the user "${context.userName}" of the kubeconfig ${context.user?.file ?? ''}`;
    const impersonation = impersonationHeaders(context.user?.value, where);
    return new HttpsKubeApi({ ...common, target, credentials, namespace, impersonation });
  }
  const folder = options.serviceAccountFolder ?? serviceAccountFolder;
  const own = options.context ? null : await inCluster(environment, folder, clock);
  if (own) {
    const namespace = options.namespace || own.namespace;
    return new HttpsKubeApi({ ...common, ...own, namespace, impersonation: {} });
  }
  throw badInput(
    `no cluster is configured: ${kubeConfigCandidates(place).join(', ')} does not exist; name a kubeconfig with --kubeconfig FILE, or use --embedded, which needs no Kubernetes`,
  );
}
