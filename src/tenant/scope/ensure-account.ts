import { z } from 'zod';
import { asRunnerError, badInput, RunnerError } from '../../base/errors.ts';
import { missingRights, type Right, rightName } from '../../kube/access-review.ts';
import type { KubeApi } from '../../kube/kube-api.ts';
import {
  type Account,
  accountManifest,
  bindingManifest,
  isJust,
  type Kind,
  kindNames,
  kinds,
  roleManifest,
  rulesOf,
  subjectOf,
} from './account-objects.ts';
import {
  type AccountState,
  checkOurs,
  deleteOptions,
  type FoundObject,
  readAccount,
  unlessMissing,
} from './account-state.ts';

const anything = z.unknown();

export interface EnsureRequest {
  readonly api: KubeApi;
  readonly account: Account;
  readonly rights: readonly Right[];
  readonly createNamespace: boolean;
  /** One line for each object: what became of it. */
  readonly tell: (message: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Sees to it that the account is there with just these rights. What is right is left alone, what is ours and differs
 * is mended; where something is not ours, nothing is changed at all.
 */
export async function ensureAccount(request: EnsureRequest): Promise<void> {
  try {
    await ensureAll(request);
  } catch (error) {
    if (!(error instanceof RunnerError && error.code === 'AlreadyExists')) throw error;
    await ensureAll(request); // somebody else makes the same at the same time
  }
}

async function ensureAll(request: EnsureRequest): Promise<void> {
  const { api, account, createNamespace, signal } = request;
  const state = await readAccount(api, account, signal);
  for (const kind of kindNames) checkOurs(state[kind], kind, account);
  if (createNamespace) await ensureNamespace(request);
  // The Role first: where that may not be made, nothing is.
  await ensureRole(request, state);
  await createUnless(state.ServiceAccount, request, 'ServiceAccount', accountManifest(account));
  await ensureBinding(request, state);
}

async function ensureNamespace({ api, account: { namespace }, tell, signal }: EnsureRequest): Promise<void> {
  const path = '/api/v1/namespaces';
  const found = await unlessMissing(() =>
    api.request({ method: 'GET', path: `${path}/${namespace}`, signal }, anything),
  );
  if (found !== undefined) return;
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await api.request({ method: 'POST', path, body, signal }, anything);
  tell(`the namespace ${namespace}: made`);
}

async function ensureRole(request: EnsureRequest, { Role }: AccountState): Promise<void> {
  const { account, rights } = request;
  if (Role && !isJust(Role.rules ?? [], rights)) {
    await change(request, 'Role', { metadata: { uid: Role.metadata.uid }, rules: rulesOf(rights) });
  } else {
    await createUnless(Role, request, 'Role', roleManifest(account, rights));
  }
}

/** What a binding refers to cannot be changed: one that refers to something else is made anew. */
async function ensureBinding(request: EnsureRequest, { RoleBinding }: AccountState): Promise<void> {
  const { api, account, signal } = request;
  const kind = 'RoleBinding';
  if (RoleBinding && !refersTo(RoleBinding, account)) {
    const path = `${kinds[kind](account.namespace)}/${account.name}`;
    const body = deleteOptions(RoleBinding);
    await unlessMissing(() => api.request({ method: 'DELETE', path, body, signal }, anything));
    await createUnless(undefined, request, kind, bindingManifest(account));
  } else if (RoleBinding && !bindsOnly(RoleBinding, account)) {
    const { uid } = RoleBinding.metadata;
    await change(request, kind, { metadata: { uid }, subjects: [subjectOf(account)] });
  } else {
    await createUnless(RoleBinding, request, kind, bindingManifest(account));
  }
}

const refersTo = ({ roleRef }: FoundObject, { name }: Account): boolean =>
  roleRef?.kind === 'Role' && roleRef.name === name;

function bindsOnly({ subjects }: FoundObject, { name, namespace }: Account): boolean {
  const [subject, ...others] = subjects ?? [];
  return (
    others.length === 0 &&
    subject?.kind === 'ServiceAccount' &&
    subject.name === name &&
    (subject.namespace ?? namespace) === namespace
  );
}

async function createUnless(
  found: FoundObject | undefined,
  request: EnsureRequest,
  kind: Kind,
  body: object,
): Promise<void> {
  const { api, account, tell, signal } = request;
  const { namespace, name } = account;
  if (found === undefined) {
    const path = kinds[kind](namespace);
    await explained(request, () => api.request({ method: 'POST', path, body, signal }, anything));
  }
  tell(`the ${kind} ${namespace}/${name}: ${found === undefined ? 'made' : 'there already'}`);
}

async function change(request: EnsureRequest, kind: Kind, body: object): Promise<void> {
  const { api, account, tell, signal } = request;
  const { namespace, name } = account;
  const path = `${kinds[kind](namespace)}/${name}`;
  await explained(request, () => api.request({ method: 'PATCH', path, body, signal }, anything));
  tell(`the ${kind} ${namespace}/${name}: it differed, and was changed`);
}

/** Says plainly what the API says at great length, or of the wrong thing. */
async function explained<T>(
  { api, account, rights, signal }: EnsureRequest,
  work: () => Promise<T>,
): Promise<T> {
  const { namespace } = account;
  try {
    return await work();
  } catch (thrown) {
    const error = asRunnerError(thrown);
    if (error.code === 'NotFound') {
      throw badInput(
        `there is no namespace ${namespace}; name another with --namespace, or add --create-namespace`,
        error,
      );
    }
    if (!/attempting to grant RBAC permissions not currently held/.test(error.message)) throw error;
    const missing = await missingRights(api, namespace, rights, signal);
    const isSome = missing.length > 0 && missing.length < rights.length;
    throw new RunnerError(
      'Forbidden',
      `this kubeconfig's user may not give a runner's rights: Kubernetes lets nobody give what he does not have himself, and he lacks ${isSome ? missing.map(rightName).join(', ') : 'them'} in the namespace ${namespace}; take the kubeconfig of an admin of the namespace`,
      { cause: error },
    );
  }
}
