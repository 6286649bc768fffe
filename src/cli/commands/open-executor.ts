import type { ExecutorRequest, OpenExecutor } from './executor-request.ts';

/** Makes nothing in any cluster. Rejects with BadInput where no cluster is configured, or wrongly. */
export async function openExecutor(request: ExecutorRequest): Promise<OpenExecutor> {
  if (request.options.cluster.embedded) {
    const { embeddedExecutor } = await import('./embedded-executor.ts');
    return embeddedExecutor(request);
  }
  const { clusterExecutor } = await import('./cluster-executor.ts');
  return clusterExecutor(request);
}
