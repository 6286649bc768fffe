import { z } from 'zod';
import { asRunnerError } from '../../../base/errors.ts';
import type { KubeApi } from '../../../kube/kube-api.ts';
import { type Check, failed, passed, warned } from './check.ts';
import { fixOf } from './error-fix.ts';

/** When credentials end, and whether they are renewed by themselves; null where that is not known. */
export type KnownExpiry = { readonly at: Date; readonly renewable: boolean } | null;

const reviewSchema = z.object({ status: z.object({ userInfo: z.object({ username: z.string() }) }) });

export interface CredentialCheck {
  readonly check: Check;
  /** Who the server takes us for; undefined where it does not say. */
  readonly user: string | undefined;
}

/** Whether the server knows who asks, and for how long it will. `longestRunMs` is what a run may take. */
export async function checkCredentials(
  api: KubeApi,
  expiry: ((signal: AbortSignal) => Promise<KnownExpiry>) | undefined,
  { now, longestRunMs }: { readonly now: Date; readonly longestRunMs: number },
  signal: AbortSignal,
): Promise<CredentialCheck> {
  try {
    const user = await whoAmI(api, signal);
    const who = user === undefined ? 'accepted' : `accepted as ${user}`;
    const known = await expiry?.(signal);
    return { check: expiryCheck(who, known, now, longestRunMs), user };
  } catch (thrown) {
    signal.throwIfAborted();
    const error = asRunnerError(thrown);
    return { check: failed('credentials', error.message, fixOf(error)), user: undefined };
  }
}

/** A server before 1.28 cannot be asked; it refuses wrong credentials all the same. */
async function whoAmI(api: KubeApi, signal: AbortSignal): Promise<string | undefined> {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  try {
    const { status } = await api.request({ method: 'POST', path, body, signal }, reviewSchema);
    return status.userInfo.username;
  } catch (thrown) {
    const { code } = asRunnerError(thrown);
    if (code === 'NotFound' || code === 'Forbidden') return undefined;
    throw thrown;
  }
}

/** Pure. */
export function expiryCheck(
  who: string,
  known: KnownExpiry | undefined,
  now: Date,
  longestRunMs: number,
): Check {
  const name = 'credentials';
  if (known === undefined) return passed(name, `${who}; kubectl keeps them to itself`);
  if (known === null) return passed(name, `${who}; they do not say when they end`);
  const end = known.at.toISOString();
  if (known.renewable) return passed(name, `${who}; renewed by themselves, next by ${end}`);
  const left = known.at.getTime() - now.getTime();
  const fix = 'get newer ones (for a token of kubeconfig scope: --renew), or give a shorter --timeout';
  if (left <= 0) return failed(name, `${who}, but they ended at ${end} by this machine's clock`, fix);
  if (left < longestRunMs)
    return warned(name, `${who}; they end at ${end}, before a run of the longest allowed time would`, fix);
  return passed(name, `${who} until ${end}`);
}
