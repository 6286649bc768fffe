/** What a request does in the words of Kubernetes' access rules. */
export interface ApiAction {
  readonly verb: string;
  /** With its subresource: `pods/exec`. Undefined for what is no resource, such as `/version`. */
  readonly resource: string | undefined;
  readonly group: string;
  readonly namespace: string | undefined;
}

/** `path` is an absolute path of the API, without the server's own. */
export function apiActionOf(method: string, path: string, watch = false): ApiAction {
  const segments = path.split('/').filter((segment) => segment !== '');
  const [root] = segments;
  const rest = root === 'api' ? segments.slice(2) : root === 'apis' ? segments.slice(3) : [];
  const group = root === 'apis' ? (segments[1] ?? '') : '';
  const namespaced = rest[0] === 'namespaces' && rest.length > 2;
  const namespace = namespaced ? rest[1] : undefined;
  const [resource, name, subresource] = namespaced ? rest.slice(2) : rest;
  return {
    verb: resource ? verbOf(method, name !== undefined, watch) : method.toLowerCase(),
    resource: subresource ? `${resource}/${subresource}` : resource,
    group,
    namespace,
  };
}

function verbOf(method: string, named: boolean, watch: boolean): string {
  switch (method) {
    case 'GET':
      return watch ? 'watch' : named ? 'get' : 'list';
    case 'POST':
      return 'create';
    case 'DELETE':
      return named ? 'delete' : 'deletecollection';
    default:
      return method.toLowerCase();
  }
}

/** `create jobs.batch in the namespace ci`, for messages. */
export function actionName(action: ApiAction, path: string): string {
  if (!action.resource) return `${action.verb} ${path}`;
  const [resource, subresource] = action.resource.split('/');
  const grouped = action.group ? `${resource}.${action.group}` : resource;
  const full = subresource ? `${grouped}/${subresource}` : grouped;
  return `${action.verb} ${full}${action.namespace ? ` in the namespace ${action.namespace}` : ''}`;
}
