import type { ClusterView } from '../../contract/cluster-view.ts';

/** What a tenant's scaler takes for work, which brings the node and keeps it: `Pod/NAME`, `Job/NAME`. */
export async function workOf({ core, batch }: ClusterView, namespace: string): Promise<readonly string[]> {
  const [pods, jobs] = await Promise.all([
    core.listNamespacedPod({ namespace }),
    batch.listNamespacedJob({ namespace }),
  ]);
  const atWork = pods.items.filter(
    ({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed',
  );
  const unfinished = jobs.items.filter(
    ({ spec, status }) => status?.completionTime === undefined && spec?.suspend !== true,
  );
  return [
    ...atWork.map(({ metadata }) => `Pod/${metadata?.name}`),
    ...unfinished.map(({ metadata }) => `Job/${metadata?.name}`),
  ];
}
