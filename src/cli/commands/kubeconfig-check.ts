import { type Check, failed, passed } from '../../executor/kubernetes/doctor/check.ts';
import type { KubeApi } from '../../kube/kube-api.ts';
import { loadKubeConfig } from '../../kube/kube-config-files.ts';
import type { CliContext } from '../cli-context.ts';
import type { ConnectionOptions } from '../options/run-options.ts';

const name = 'kubeconfig';

/** Which cluster was found, and by what. */
export async function kubeconfigFound(
  { process, homeFolder }: CliContext,
  options: ConnectionOptions,
  api: KubeApi,
): Promise<Check> {
  const place = { environment: process.env, homeFolder, explicitFile: options.kubeconfig };
  const loaded = await loadKubeConfig(place);
  const source = loaded
    ? `context ${options.context ?? loaded.config.currentContext ?? ''} of ${loaded.files.join(', ')}`
    : "this pod's service account";
  return passed(name, `${source}; namespace ${api.namespace} of ${api.server}`);
}

export const kubeconfigWrong = (message: string): Check =>
  failed(
    name,
    message,
    'name another with --kubeconfig FILE or --context NAME; see kubectl config get-contexts',
  );
