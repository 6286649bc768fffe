import type { Resource } from './resources.ts';
import { findResource } from './resources.ts';

/** What a path of the API points at. */
export interface Target {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  /** Empty for a collection. */
  readonly name: string;
  readonly subresource: string;
}

const decoded = (part: string): string | undefined => {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
};

/** Reads `/api/v1/…` and `/apis/GROUP/VERSION/…`; undefined for paths that name no served resource. */
export function targetOf(path: string): Target | undefined {
  const parts = path.split('/').slice(1).map(decoded);
  const root = parts.shift();
  const group = root === 'apis' ? parts.shift() : '';
  const version = parts.shift();
  if ((root !== 'api' && root !== 'apis') || group === undefined || version === undefined) return undefined;
  let namespace: string | undefined;
  if (parts[0] === 'namespaces' && parts.length > 2 && parts[2] !== 'status' && parts[2] !== 'finalize') {
    parts.shift();
    namespace = parts.shift();
  }
  const [plural, name = '', subresource = '', ...rest] = parts;
  const resource = plural === undefined ? undefined : findResource(group, version, plural);
  if (!resource || rest.length > 0) return undefined;
  if (namespace !== undefined && !resource.namespaced) return undefined;
  if (namespace === undefined && resource.namespaced && name !== '') return undefined;
  return { resource, namespace, name, subresource };
}

/** The verb that RBAC asks for. */
export function verbOf(method: string, target: Target, watch: boolean): string {
  if (method === 'POST') return 'create';
  if (method === 'PUT') return 'update';
  if (method === 'PATCH') return 'patch';
  if (method === 'DELETE') return target.name === '' ? 'deletecollection' : 'delete';
  if (watch) return 'watch';
  return target.name === '' ? 'list' : 'get';
}
