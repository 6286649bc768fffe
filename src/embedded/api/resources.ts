/** One kind that the cluster serves. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  /** Whether its status is written by its own subresource only. */
  readonly status: boolean;
  readonly categories: readonly string[];
}

const resource = (
  group: string,
  plural: string,
  singular: string,
  kind: string,
  rest: Partial<Resource> = {},
): Resource => ({
  group,
  version: 'v1',
  plural,
  singular,
  kind,
  namespaced: true,
  shortNames: [],
  status: false,
  categories: [],
  ...rest,
});

const rbac = 'rbac.authorization.k8s.io';

export const resources = {
  namespaces: resource('', 'namespaces', 'namespace', 'Namespace', {
    namespaced: false,
    shortNames: ['ns'],
    status: true,
  }),
  nodes: resource('', 'nodes', 'node', 'Node', { namespaced: false, shortNames: ['no'], status: true }),
  pods: resource('', 'pods', 'pod', 'Pod', { shortNames: ['po'], status: true, categories: ['all'] }),
  events: resource('', 'events', 'event', 'Event', { shortNames: ['ev'] }),
  serviceAccounts: resource('', 'serviceaccounts', 'serviceaccount', 'ServiceAccount', {
    shortNames: ['sa'],
  }),
  configMaps: resource('', 'configmaps', 'configmap', 'ConfigMap', { shortNames: ['cm'] }),
  secrets: resource('', 'secrets', 'secret', 'Secret'),
  resourceQuotas: resource('', 'resourcequotas', 'resourcequota', 'ResourceQuota', {
    shortNames: ['quota'],
    status: true,
  }),
  limitRanges: resource('', 'limitranges', 'limitrange', 'LimitRange', { shortNames: ['limits'] }),
  jobs: resource('batch', 'jobs', 'job', 'Job', { status: true, categories: ['all'] }),
  networkPolicies: resource('networking.k8s.io', 'networkpolicies', 'networkpolicy', 'NetworkPolicy', {
    shortNames: ['netpol'],
  }),
  roles: resource(rbac, 'roles', 'role', 'Role'),
  roleBindings: resource(rbac, 'rolebindings', 'rolebinding', 'RoleBinding'),
  clusterRoles: resource(rbac, 'clusterroles', 'clusterrole', 'ClusterRole', { namespaced: false }),
  clusterRoleBindings: resource(rbac, 'clusterrolebindings', 'clusterrolebinding', 'ClusterRoleBinding', {
    namespaced: false,
  }),
} as const satisfies Record<string, Resource>;

export const allResources: readonly Resource[] = Object.values(resources);

export const apiVersionOf = (resource: Resource): string =>
  resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;

/** As messages name it: `pods`, `jobs.batch`. */
export const qualifiedName = (resource: Resource): string =>
  resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;

export const findResource = (group: string, version: string, plural: string): Resource | undefined =>
  allResources.find((one) => one.group === group && one.version === version && one.plural === plural);

export const resourceOfKind = (apiVersion: string, kind: string): Resource | undefined =>
  allResources.find((one) => apiVersionOf(one) === apiVersion && one.kind === kind);
