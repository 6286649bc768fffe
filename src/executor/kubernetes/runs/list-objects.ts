import type { ZodType } from 'zod';
import type { KubeApi } from '../../../kube/kube-api.ts';
import { labels, managedBy } from '../object-names.ts';
import { listOf } from '../objects.ts';

/** Objects of one kind at `path`, chosen by their labels. */
export async function listObjects<T>(
  api: KubeApi,
  path: string,
  schema: ZodType<T>,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly T[]> {
  const { items } = await api.request({ method: 'GET', path, query, signal }, listOf(schema));
  return items ?? [];
}

/** The label selector of everything that runs made, narrowed by further labels. */
export const ownedBy = (more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => ({
  labelSelector: Object.entries({ [labels.managedBy]: managedBy, ...more })
    .map(([name, value]) => `${name}=${value}`)
    .join(','),
});
