import { type Right, rightName } from '../../kube/access-review.ts';

/** A ServiceAccount and, by the same name, the Role and the RoleBinding that give it its rights. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
}

export interface PolicyRule {
  readonly apiGroups?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly verbs?: readonly string[] | undefined;
  readonly resourceNames?: readonly string[] | undefined;
}

/** What says that an object is ours to change and to remove. */
export const ownLabel = { name: 'app.kubernetes.io/managed-by', value: 'knotless-runner-k8s' } as const;

const group = 'rbac.authorization.k8s.io';
const rbac = (namespace: string): string => `/apis/${group}/v1/namespaces/${namespace}`;
const core = (namespace: string): string => `/api/v1/namespaces/${namespace}`;

export const kinds = {
  ServiceAccount: (namespace: string): string => `${core(namespace)}/serviceaccounts`,
  Role: (namespace: string): string => `${rbac(namespace)}/roles`,
  RoleBinding: (namespace: string): string => `${rbac(namespace)}/rolebindings`,
} as const;

export type Kind = keyof typeof kinds;
export const kindNames = ['ServiceAccount', 'Role', 'RoleBinding'] as const satisfies readonly Kind[];

const metadataOf = ({ namespace, name }: Account): object => ({
  name,
  namespace,
  labels: { [ownLabel.name]: ownLabel.value },
});

/** No pod needs it, so that none gets its token. */
export const accountManifest = (account: Account): object => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: metadataOf(account),
  automountServiceAccountToken: false,
});

export const roleManifest = (account: Account, rights: readonly Right[]): object => ({
  apiVersion: `${group}/v1`,
  kind: 'Role',
  metadata: metadataOf(account),
  rules: rulesOf(rights),
});

export const subjectOf = ({ name, namespace }: Account): Readonly<Record<string, string>> => ({
  kind: 'ServiceAccount',
  name,
  namespace,
});

export const bindingManifest = (account: Account): object => ({
  apiVersion: `${group}/v1`,
  kind: 'RoleBinding',
  metadata: metadataOf(account),
  roleRef: { apiGroup: group, kind: 'Role', name: account.name },
  subjects: [subjectOf(account)],
});

/** One rule a resource, with its verbs. Pure. */
export function rulesOf(rights: readonly Right[]): readonly PolicyRule[] {
  const rules = new Map<string, { apiGroups: string[]; resources: string[]; verbs: string[] }>();
  for (const { group: apiGroup, resource, subresource, verb } of rights) {
    const name = subresource === undefined ? resource : `${resource}/${subresource}`;
    const key = `${apiGroup}/${name}`;
    const rule = rules.get(key) ?? { apiGroups: [apiGroup], resources: [name], verbs: [] };
    rule.verbs.push(verb);
    rules.set(key, rule);
  }
  return [...rules.values()];
}

/** Whether a Role's rules give these rights and nothing else, however they are written. Pure. */
export function isJust(rules: readonly PolicyRule[], rights: readonly Right[]): boolean {
  if (rules.some(({ resourceNames }) => (resourceNames?.length ?? 0) > 0)) return false;
  const given = new Set(rules.flatMap(rightNames));
  return given.size === rights.length && rights.every((right) => given.has(rightName(right)));
}

const rightNames = ({ apiGroups = [], resources = [], verbs = [] }: PolicyRule): readonly string[] =>
  apiGroups.flatMap((apiGroup) =>
    resources.flatMap((name) => {
      const [resource = '', subresource] = name.split('/');
      const what = { group: apiGroup, resource, ...(subresource === undefined ? {} : { subresource }) };
      return verbs.map((verb) => rightName({ verb, ...what }));
    }),
  );
