import { stringify } from 'yaml';
import { z } from 'zod';
import type { ClusterEntry } from '../../kube/kube-cluster.ts';
import { parseKubeConfig } from '../../kube/kube-config.ts';
import type { Account } from './account-objects.ts';

/** The text of a kubeconfig for this account alone. Pure. */
export function scopedKubeconfig(cluster: ClusterEntry, { namespace, name }: Account, token: string): string {
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name, cluster }],
      users: [{ name, user: { token } }],
      contexts: [{ name, context: { cluster: name, user: name, namespace } }],
      'current-context': name,
    },
    { lineWidth: 0 },
  );
}

const claimsSchema = z.object({ sub: z.string() });

/**
 * Whether a text is a kubeconfig with a token of this account and nothing else, so that nothing is lost with it.
 * Pure.
 */
export function isKubeconfigOf(text: string, { namespace, name }: Account): boolean {
  try {
    const { clusters, users, contexts } = parseKubeConfig(text, '');
    const [user, ...others] = users.values();
    const isAlone = others.length === 0 && clusters.size < 2 && contexts.size < 2;
    const payload = user?.value.token?.split('.')[1] ?? '';
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return isAlone && claimsSchema.parse(claims).sub === `system:serviceaccount:${namespace}:${name}`;
  } catch {
    return false;
  }
}
