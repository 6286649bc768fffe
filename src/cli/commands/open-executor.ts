import type { ExecutorRequest, OpenExecutor } from './executor-request.ts';

/** Makes nothing in any cluster or engine. Rejects with BadInput where none is configured, or wrongly. */
export async function openExecutor(request: ExecutorRequest): Promise<OpenExecutor> {
  if (request.options.executor === 'docker') {
    const { dockerExecutor } = await import('./docker-executor.ts');
    return await dockerExecutor(request);
  }
  if (request.options.cluster.embedded) {
    const { embeddedExecutor } = await import('./embedded-executor.ts');
    return embeddedExecutor(request);
  }
  const { clusterExecutor } = await import('./cluster-executor.ts');
  return clusterExecutor(request);
}
