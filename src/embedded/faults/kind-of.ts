import { targetOf } from '../api/target.ts';

/**
 * The name of a request in fault rules: `create-job`, `dry-create-job`, `get-pod`, `list-pods`, `watch-pods`,
 * `change-job`, `delete-job`; a subresource by its own name (`exec`, `log`, `status`, `token`); else `other`.
 */
export function kindOf(method: string, url: string): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const target = targetOf(pathname);
  if (!target) return 'other';
  const { resource, name, subresource } = target;
  if (subresource !== '') return subresource;
  if (method === 'POST') return `${searchParams.has('dryRun') ? 'dry-' : ''}create-${resource.singular}`;
  if (method === 'DELETE') return `delete-${resource.singular}`;
  if (method === 'PATCH' || method === 'PUT') return `change-${resource.singular}`;
  if (/^(1|true)$/.test(searchParams.get('watch') ?? '')) return `watch-${resource.plural}`;
  return name === '' ? `list-${resource.plural}` : `get-${resource.singular}`;
}
