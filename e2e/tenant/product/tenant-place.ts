import { delimiter } from 'node:path';
import { ClusterView } from '../../contract/cluster-view.ts';
import { type Ability, able, unable } from '../../contract/venue.ts';
import { type Backing, embeddedBacking, givenBacking } from '../gateway/backing.ts';

/** What is behind the tenant's cluster: the cluster that KUBECONFIG names, or an embedded one. */
export interface TenantPlace {
  readonly name: string;
  readonly backing: Backing;
  /** Its node comes and goes. */
  readonly scales: Ability;
  /** Removes a namespace that would stay behind. */
  readonly removeNamespace: (name: string) => Promise<void>;
}

export function tenantPlace(): TenantPlace {
  const [given] = process.env.KUBECONFIG?.split(delimiter) ?? [];
  if (!given)
    return {
      name: 'an embedded cluster',
      backing: embeddedBacking({ nodeDelayMs: 200, nodeHoldMs: 1_000 }),
      scales: able,
      removeNamespace: async () => {},
    };
  return {
    name: 'the cluster of KUBECONFIG',
    backing: givenBacking(given),
    scales: unable('the node of this cluster stays'),
    removeNamespace: async (name) => {
      await new ClusterView(given).core.deleteNamespace({ name });
    },
  };
}
