import { fetchKubeconfig } from '../../../tenant/clusters/fetch-kubeconfig.ts';
import { preparePrivateFolder } from '../../../tenant/state/state-folder.ts';
import type { CliContext } from '../../cli-context.ts';
import type { FlagValues } from '../../flags/flag-definition.ts';
import { print } from '../../terminal/print.ts';
import type { clusterFlags } from './cluster-flags.ts';
import { onTenantCluster } from './on-tenant-cluster.ts';

/** `tenant kubeconfig`: the admin's kubeconfig of the cluster, in the state folder. */
export async function kubeconfigCommand(
  this: CliContext,
  flags: FlagValues<typeof clusterFlags>,
): Promise<void> {
  await onTenantCluster(this, flags, async (wait, { stateFolder }) => {
    await preparePrivateFolder(stateFolder);
    await print(this.process.stdout, `${await fetchKubeconfig(wait, stateFolder)}\n`);
  });
}
