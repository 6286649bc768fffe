import type { ApiCall, ExecCall, WatchCall } from '../../../kube/kube-api.ts';

/** One run of kubectl. */
export interface KubectlCall {
  readonly argv: readonly string[];
  /** JSON for its standard input. */
  readonly body?: unknown;
}

/** What goes with each call: which cluster, as whom. */
export interface KubectlScope {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

/**
 * Requests go through `--raw`: the same paths and the same objects as without kubectl, so that both transports
 * mean the same.
 */
export function requestCall(scope: KubectlScope, { method, path, query, body }: ApiCall): KubectlCall {
  const uri = withQuery(path, query);
  switch (method) {
    case 'GET':
      return { argv: [...scopeFlags(scope), 'get', '--raw', uri] };
    case 'POST':
      return { argv: [...scopeFlags(scope), 'create', '--raw', uri, '-f', '-'], body };
    case 'DELETE':
      return body === undefined
        ? { argv: [...scopeFlags(scope), 'delete', '--raw', uri] }
        : { argv: [...scopeFlags(scope), 'delete', '--raw', uri, '-f', '-'], body };
    case 'PATCH': {
      const { resource, namespace, name } = named(path);
      const flags = ['-n', namespace, '--type', 'merge', '-o', 'json', '-p', JSON.stringify(body)];
      return { argv: [...scopeFlags(scope), 'patch', resource, name, ...flags] };
    }
  }
}

export function watchCall(scope: KubectlScope, { path, query }: Omit<WatchCall, 'signal'>): KubectlCall {
  return { argv: [...scopeFlags(scope), 'get', '--raw', withQuery(path, { ...query, watch: '1' })] };
}

export function execCall(scope: KubectlScope, call: Omit<ExecCall, 'signal' | 'timeoutMs'>): KubectlCall {
  const { namespace, pod, container, command } = call;
  return {
    argv: [...scopeFlags(scope), 'exec', '-i', '-n', namespace, pod, '-c', container, '--', ...command],
  };
}

/** The namespace that the kubeconfig's context has. */
export const namespaceCall = (scope: KubectlScope): KubectlCall => ({
  argv: [
    ...scopeFlags(scope),
    'config',
    'view',
    '--minify',
    '-o',
    'jsonpath={.contexts[0].context.namespace}',
  ],
});

const scopeFlags = ({ kubeconfig, context }: KubectlScope): string[] => [
  ...(kubeconfig === undefined ? [] : ['--kubeconfig', kubeconfig]),
  ...(context === undefined ? [] : ['--context', context]),
];

const withQuery = (path: string, query: Readonly<Record<string, string>> = {}): string =>
  Object.keys(query).length === 0 ? path : `${path}?${new URLSearchParams(query)}`;

/** `/apis/batch/v1/namespaces/ci/jobs/a` → `jobs.v1.batch`, `ci`, `a`. */
function named(path: string): { resource: string; namespace: string; name: string } {
  const found = /^\/(?:api|apis\/([^/]+))\/([^/]+)\/namespaces\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(path);
  if (!found) throw new Error(`no namespaced object: ${path}`);
  const [, group, version, namespace = '', resource = '', name = ''] = found;
  return { resource: group ? `${resource}.${version}.${group}` : resource, namespace, name };
}
