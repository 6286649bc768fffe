import { z } from 'zod';
import { RunnerError } from '../../base/errors.ts';
import type { KubeApi } from '../../kube/kube-api.ts';
import { type Account, kinds } from './account-objects.ts';

const grantSchema = z.object({
  spec: z.object({ expirationSeconds: z.number().nullish() }).nullish(),
  status: z.object({ token: z.string().nullish(), expirationTimestamp: z.string() }),
});

export interface TokenGrant {
  /** Never to be shown. */
  readonly token: string;
  readonly ends: Date;
  /** For how long it was granted, in milliseconds; null where the cluster does not say. */
  readonly grantedMs: number | null;
}

/** A token of the ServiceAccount for the API itself. Only the account's end can end it before its time. */
export async function requestToken(
  api: KubeApi,
  { namespace, name }: Account,
  durationMs: number,
  signal: AbortSignal,
): Promise<TokenGrant> {
  const path = `${kinds.ServiceAccount(namespace)}/${name}/token`;
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences: [], expirationSeconds: Math.ceil(durationMs / 1000) },
  };
  const { spec, status } = await api.request({ method: 'POST', path, body, signal }, grantSchema);
  const token = status.token ?? '';
  const ends = new Date(status.expirationTimestamp);
  if (!/^[\x21-\x7e]+$/.test(token) || Number.isNaN(ends.getTime())) {
    throw new RunnerError(
      'ApiRefused',
      `${api.server} answered the request for a token of the ServiceAccount ${namespace}/${name} with ${token === '' ? 'an empty token' : 'something that is no token'}; no kubeconfig was written`,
    );
  }
  const seconds = spec?.expirationSeconds;
  return { token, ends, grantedMs: seconds ? seconds * 1000 : null };
}
