import { badInput } from '../base/errors.ts';
import type { KubeUser } from './kube-config.ts';

export type ImpersonationHeaders = Readonly<Record<string, string | string[]>>;

/** Who a user of a kubeconfig asks to be taken for. Left out, the calls would have rights that nobody meant. */
export function impersonationHeaders(user: KubeUser | undefined, where: string): ImpersonationHeaders {
  if (!user) return {};
  const { as: name, 'as-uid': uid, 'as-groups': groups, 'as-user-extra': extra } = user;
  if (!name) {
    if (uid || groups.length > 0 || extra) {
      throw badInput(`${where} has as-uid, as-groups or as-user-extra without "as"; name the user to act as`);
    }
    return {};
  }
  const headers: Record<string, string | string[]> = { 'Impersonate-User': name };
  if (uid) headers['Impersonate-Uid'] = uid;
  if (groups.length > 0) headers['Impersonate-Group'] = groups;
  for (const [key, values] of Object.entries(extra ?? {})) {
    headers[`Impersonate-Extra-${encodeURIComponent(key)}`] = values;
  }
  for (const value of Object.values(headers).flat()) {
    if (/[^\x20-\x7e]/.test(value))
      throw badInput(`${where} has a name to act as that cannot be sent in a header`);
  }
  return headers;
}
