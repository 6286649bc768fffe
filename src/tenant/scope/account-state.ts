import { z } from 'zod';
import { badInput, RunnerError } from '../../base/errors.ts';
import type { KubeApi } from '../../kube/kube-api.ts';
import { type Account, type Kind, kinds, ownLabel } from './account-objects.ts';

const names = z
  .array(z.string())
  .nullish()
  .transform((list) => list ?? undefined);

const objectSchema = z.object({
  metadata: z.object({
    uid: z.string(),
    labels: z.record(z.string(), z.string()).nullish(),
  }),
  rules: z
    .array(z.object({ apiGroups: names, resources: names, verbs: names, resourceNames: names }))
    .nullish(),
  roleRef: z.object({ kind: z.string(), name: z.string() }).nullish(),
  subjects: z
    .array(z.object({ kind: z.string(), name: z.string(), namespace: z.string().nullish() }))
    .nullish(),
});

export type FoundObject = z.output<typeof objectSchema>;

/** What of the account is there; undefined for what is not. */
export type AccountState = Readonly<Record<Kind, FoundObject | undefined>>;

export async function readAccount(
  api: KubeApi,
  account: Account,
  signal: AbortSignal,
): Promise<AccountState> {
  const [ServiceAccount, Role, RoleBinding] = await Promise.all([
    readObject(api, account, 'ServiceAccount', signal),
    readObject(api, account, 'Role', signal),
    readObject(api, account, 'RoleBinding', signal),
  ]);
  return { ServiceAccount, Role, RoleBinding };
}

export async function readObject(
  api: KubeApi,
  { namespace, name }: Account,
  kind: Kind,
  signal: AbortSignal,
): Promise<FoundObject | undefined> {
  const path = `${kinds[kind](namespace)}/${name}`;
  return unlessMissing(() => api.request({ method: 'GET', path, signal }, objectSchema));
}

export const isOurs = ({ metadata }: FoundObject): boolean =>
  metadata.labels?.[ownLabel.name] === ownLabel.value;

/** Throws BadInput where an object is there that somebody else made. */
export function checkOurs(found: FoundObject | undefined, kind: Kind, { namespace, name }: Account): void {
  if (found === undefined || isOurs(found)) return;
  throw badInput(
    `the ${kind} ${namespace}/${name} is there already, and this program did not make it; choose another name with --service-account, or hand it over: kubectl label ${kind.toLowerCase()} ${name} -n ${namespace} --overwrite ${ownLabel.name}=${ownLabel.value}`,
  );
}

/** Of this very object. */
export const deleteOptions = ({ metadata: { uid } }: FoundObject): object => ({
  kind: 'DeleteOptions',
  apiVersion: 'v1',
  preconditions: { uid },
});

/** Undefined where the request finds nothing. */
export async function unlessMissing<T>(request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof RunnerError && error.code === 'NotFound') return undefined;
    throw error;
  }
}
