import type { TenantCluster } from '../gateway/cluster-object.ts';

/** Why a cluster is not there yet, or not gone: the gateway's own words, in one line. */
export function clusterWords({ phase, conditions }: TenantCluster): string {
  const told = conditions.filter(({ status }) => status !== 'True').map(conditionWords);
  return [phase || 'no phase yet', ...told].join('; ');
}

function conditionWords({ type, status, reason, message }: TenantCluster['conditions'][number]): string {
  return `${type} is ${status}${reason === null ? '' : ` (${reason})`}${message === null ? '' : `: ${message}`}`;
}

/** What there is of nodes. None is no fault, and people take it for one. */
export function nodeWords({ node }: TenantCluster): string {
  if (node === null)
    return 'no node now, as is normal: one comes with the first pod, and goes when there is none';
  return node === 'unlimited' ? 'its node is up' : `its node is up until ${node}`;
}
