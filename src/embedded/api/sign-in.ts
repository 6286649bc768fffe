import type { IncomingMessage } from 'node:http';
import { denial, mayDo } from '../auth/rbac.ts';
import type { User } from '../auth/tokens.ts';
import { anonymous } from '../auth/tokens.ts';
import type { ApiContext } from './context.ts';
import { resources } from './resources.ts';
import { ApiError, forbidden, unauthorized } from './status.ts';
import type { Target } from './target.ts';

/** Who sent the request. Without a token that is nobody; a wrong token is refused. */
export function signIn({ tokens, registry }: ApiContext, request: IncomingMessage): User {
  const header = request.headers.authorization;
  if (header === undefined) return anonymous;
  const token = /^Bearer\s+(\S+)$/i.exec(header)?.[1];
  const user =
    token === undefined
      ? undefined
      : tokens.userOf(token, ({ namespace, name, uid }) => {
          return registry.store.get(resources.serviceAccounts, namespace, name)?.metadata.uid === uid;
        });
  if (!user) throw unauthorized();
  return user;
}

/** Throws unless the user may. */
export function authorize({ registry, audit }: ApiContext, user: User, verb: string, target: Target): void {
  const { resource, namespace, name, subresource } = target;
  const wanted = {
    verb,
    group: resource.group,
    resource: subresource === '' ? resource.plural : `${resource.plural}/${subresource}`,
    name,
    namespace,
  };
  if (!mayDo(registry.store, user, wanted)) throw forbidden(resource, name, denial(user, wanted));
  audit(user, wanted);
}

/** Paths that are no resources: open to whoever signed in; health and version to all. */
export function authorizePath(user: User, method: string, path: string): void {
  if (/^\/(healthz|livez|readyz|version)(\/|$)/.test(path) || user !== anonymous) return;
  throw new ApiError(
    403,
    'Forbidden',
    `forbidden: User "${user.name}" cannot ${method.toLowerCase()} path "${path}"`,
    {},
  );
}
