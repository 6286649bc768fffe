import { deleteCluster } from '../../../tenant/clusters/delete-cluster.ts';
import type { Wait } from '../../../tenant/clusters/wait-for-cluster.ts';
import { removeFile } from '../../../tenant/state/cluster-files.ts';
import { deletedAt, markDeleted } from '../../../tenant/state/deleted-mark.ts';
import { sessionPath } from '../../../tenant/state/session-file.ts';
import type { CliContext } from '../../cli-context.ts';
import type { FlagValues } from '../../flags/flag-definition.ts';
import { print } from '../../terminal/print.ts';
import type { AtGateway } from './at-gateway.ts';
import type { clusterFlags } from './cluster-flags.ts';
import { onTenantCluster } from './on-tenant-cluster.ts';

/** `tenant delete`: nothing is left of the cluster, there and here. */
export async function deleteCommand(this: CliContext, flags: FlagValues<typeof clusterFlags>): Promise<void> {
  const { stdout } = this.process;
  const work = async (wait: Wait, gateway: AtGateway): Promise<void> => {
    const { name } = wait;
    const { files, others } = await deleteCluster(wait, gateway.stateFolder);
    await markDeleted(gateway.stateFolder, name, gateway.profile.gateway, wait.clock.date());
    if (others === 0) {
      await wait.api.signOut(wait.signal);
      await removeFile(sessionPath(gateway.stateFolder));
    }
    const removed = files.length === 0 ? '' : `; removed ${files.join(', ')}`;
    const session = others === 0 ? 'signed out' : `signed in still, for ${others} more of the account`;
    await print(stdout, `the cluster ${name} is gone${removed}; ${session}\n`);
  };
  const withoutSession = async (name: string, { stateFolder, profile }: AtGateway): Promise<boolean> => {
    const when = await deletedAt(stateFolder, name, profile.gateway);
    if (when === null) return false;
    await print(stdout, `the cluster ${name} was deleted at ${when}; nothing of it is left here\n`);
    return true;
  };
  await onTenantCluster(this, flags, work, withoutSession);
}
