import { badInput } from '../base/errors.ts';
import { type ClusterEntry, clusterEntry, targetOf } from './kube-cluster.ts';
import { kubeConfigCandidates, loadKubeConfig } from './kube-config-files.ts';
import { chooseContext } from './kube-context.ts';

export interface ClusterEntryOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly homeFolder: string;
  /** `--kubeconfig`. */
  readonly kubeconfig?: string | undefined;
  /** `--context`; the kubeconfig's current one without it. */
  readonly context?: string | undefined;
}

export interface FoundClusterEntry {
  readonly cluster: ClusterEntry;
  /** The files of the kubeconfig that it was found in. */
  readonly files: readonly string[];
}

/** The cluster that a kubeconfig names, for another kubeconfig. Rejects with BadInput where there is none. */
export async function readClusterEntry(options: ClusterEntryOptions): Promise<FoundClusterEntry> {
  const place = { ...options, explicitFile: options.kubeconfig };
  const loaded = await loadKubeConfig(place);
  if (!loaded) {
    throw badInput(
      `no kubeconfig is there (${kubeConfigCandidates(place).join(', ')}); name one with --kubeconfig FILE`,
    );
  }
  const context = chooseContext(loaded, options.context);
  const target = await targetOf(context, options.environment);
  return { cluster: clusterEntry(context, target), files: loaded.files };
}
