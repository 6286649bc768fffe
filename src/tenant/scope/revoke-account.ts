import { z } from 'zod';
import type { KubeApi } from '../../kube/kube-api.ts';
import { type Account, type Kind, kinds } from './account-objects.ts';
import { checkOurs, deleteOptions, isOurs, readAccount, unlessMissing } from './account-state.ts';

const anything = z.unknown();

/** The account first: with it end all its tokens, whatever becomes of the rest. */
const order: readonly Kind[] = ['ServiceAccount', 'RoleBinding', 'Role'];

export interface RevokeRequest {
  readonly api: KubeApi;
  readonly account: Account;
  /** One line for each object: what became of it. */
  readonly tell: (message: string) => void;
  readonly signal: AbortSignal;
}

/** Deletes what of the account is there and ours. Whether anything was. Rejects with BadInput where the account is not ours. */
export async function revokeAccount({ api, account, tell, signal }: RevokeRequest): Promise<boolean> {
  const state = await readAccount(api, account, signal);
  checkOurs(state.ServiceAccount, 'ServiceAccount', account);
  let isAny = false;
  for (const kind of order) {
    const found = state[kind];
    if (found === undefined) continue;
    const name = `the ${kind} ${account.namespace}/${account.name}`;
    if (!isOurs(found)) {
      tell(`${name}: left, for this program did not make it`);
      continue;
    }
    const path = `${kinds[kind](account.namespace)}/${account.name}`;
    const body = deleteOptions(found);
    await unlessMissing(() => api.request({ method: 'DELETE', path, body, signal }, anything));
    tell(`${name}: deleted`);
    isAny = true;
  }
  return isAny;
}
