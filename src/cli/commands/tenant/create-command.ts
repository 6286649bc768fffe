import { nodeWords } from '../../../tenant/clusters/cluster-words.ts';
import { createCluster } from '../../../tenant/clusters/create-cluster.ts';
import { unmarkDeleted } from '../../../tenant/state/deleted-mark.ts';
import type { CliContext } from '../../cli-context.ts';
import type { FlagValues } from '../../flags/flag-definition.ts';
import { print } from '../../terminal/print.ts';
import { safeLine } from '../../terminal/safe-text.ts';
import type { clusterFlags } from './cluster-flags.ts';
import { onTenantCluster } from './on-tenant-cluster.ts';

/** `tenant create`: the cluster is there and Ready. */
export async function createCommand(this: CliContext, flags: FlagValues<typeof clusterFlags>): Promise<void> {
  await onTenantCluster(this, flags, async (wait, { stateFolder }) => {
    await unmarkDeleted(stateFolder, wait.name);
    const cluster = await createCluster(wait);
    const line = safeLine(`the cluster ${cluster.name} is ${cluster.phase}; ${nodeWords(cluster)}`);
    await print(this.process.stdout, `${line}\n`);
  });
}
