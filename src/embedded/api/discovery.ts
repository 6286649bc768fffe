import type { Resource } from './resources.ts';
import { allResources, apiVersionOf, resources } from './resources.ts';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

interface ListedResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly group?: string;
  readonly version?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

const subresource = (of: Resource, name: string, kind: string, verbs: readonly string[]): ListedResource => ({
  name: `${of.plural}/${name}`,
  singularName: '',
  namespaced: of.namespaced,
  kind,
  verbs,
});

function listed(resource: Resource): ListedResource[] {
  const list: ListedResource[] = [
    {
      name: resource.plural,
      singularName: resource.singular,
      namespaced: resource.namespaced,
      kind: resource.kind,
      verbs,
      ...(resource.shortNames.length > 0 && { shortNames: resource.shortNames }),
      ...(resource.categories.length > 0 && { categories: resource.categories }),
    },
  ];
  if (resource.status) list.push(subresource(resource, 'status', resource.kind, ['get', 'patch', 'update']));
  if (resource === resources.pods) {
    list.push(subresource(resource, 'exec', 'PodExecOptions', ['create', 'get']));
    list.push(subresource(resource, 'log', 'Pod', ['get']));
  }
  if (resource === resources.serviceAccounts)
    list.push({
      ...subresource(resource, 'token', 'TokenRequest', ['create']),
      group: 'authentication.k8s.io',
      version: 'v1',
    });
  return list;
}

const reviews = (...kinds: readonly string[]): readonly ListedResource[] =>
  kinds.map((kind) => ({
    name: `${kind.toLowerCase()}s`,
    singularName: kind.toLowerCase(),
    namespaced: false,
    kind,
    verbs: ['create'],
  }));

/** What each version serves: `v1`, `batch/v1`, … */
function servedVersions(): ReadonlyMap<string, readonly ListedResource[]> {
  const served = new Map<string, readonly ListedResource[]>([
    ['authorization.k8s.io/v1', reviews('SelfSubjectAccessReview', 'SelfSubjectRulesReview')],
    ['authentication.k8s.io/v1', reviews('SelfSubjectReview')],
  ]);
  for (const resource of allResources) {
    const version = apiVersionOf(resource);
    served.set(version, [...(served.get(version) ?? []), ...listed(resource)]);
  }
  return served;
}

const versionInfo = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.0+embedded',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'linux/amd64',
};

const groupsOf = (versions: readonly string[]): { readonly name: string }[] =>
  versions
    .filter((version) => version.includes('/'))
    .map((groupVersion) => {
      const [name = '', version] = groupVersion.split('/');
      const known = { groupVersion, version };
      return { name, versions: [known], preferredVersion: known };
    });

/** What the discovery paths answer; undefined for every other path. */
export function discovery(path: string, server: string): object | undefined {
  const trimmed = path.replace(/\/$/, '');
  const served = servedVersions();
  const groups = groupsOf([...served.keys()]);
  switch (trimmed) {
    case '/version':
      return versionInfo;
    case '/api':
      return {
        kind: 'APIVersions',
        versions: ['v1'],
        serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: server }],
      };
    case '/apis':
      return { kind: 'APIGroupList', apiVersion: 'v1', groups };
    case '/openapi/v3':
      return openApiIndex([...served.keys()]);
    default:
  }
  const openApi = /^\/openapi\/v3\/(.+)$/.exec(trimmed)?.[1];
  if (openApi !== undefined) return openApiOf(openApi);
  const version = /^\/(?:api|apis)\/(.+)$/.exec(trimmed)?.[1];
  const list = version === undefined ? undefined : served.get(version);
  if (list) return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: version, resources: list };
  const group = groups.find(({ name }) => trimmed === `/apis/${name}`);
  return group && { kind: 'APIGroup', apiVersion: 'v1', ...group };
}

const openApiPath = (version: string): string =>
  version.includes('/') ? `apis/${version}` : `api/${version}`;

const openApiIndex = (versions: readonly string[]): object => ({
  paths: Object.fromEntries(
    versions.map((version) => [
      openApiPath(version),
      { serverRelativeURL: `/openapi/v3/${openApiPath(version)}` },
    ]),
  ),
});

/** Just enough for kubectl to learn that the server validates fields itself, so that it does not have to. */
function openApiOf(path: string): object | undefined {
  const found = allResources.filter((resource) => openApiPath(apiVersionOf(resource)) === path);
  if (found.length === 0) return undefined;
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: versionInfo.gitVersion },
    components: { schemas: {} },
    paths: Object.fromEntries(
      found.map((resource) => [
        `/${path}${resource.namespaced ? '/namespaces/{namespace}' : ''}/${resource.plural}/{name}`,
        {
          patch: {
            parameters: ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({
              name,
              in: 'query',
              schema: { type: 'string', uniqueItems: true },
            })),
            responses: { 200: { description: 'OK' } },
            'x-kubernetes-action': 'patch',
            'x-kubernetes-group-version-kind': {
              group: resource.group,
              kind: resource.kind,
              version: resource.version,
            },
          },
        },
      ]),
    ),
  };
}
