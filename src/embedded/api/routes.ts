import { reviewAccess, reviewRules, reviewSelf } from '../auth/reviews.ts';
import type { ApiContext, ApiRequest, ApiResponse } from './context.ts';
import { discovery } from './discovery.ts';
import { handleLog } from './log.ts';
import { handleObjects } from './objects.ts';
import { resources } from './resources.ts';
import { authorize, authorizePath } from './sign-in.ts';
import { badRequest, methodNotAllowed, pageNotFound } from './status.ts';
import type { Target } from './target.ts';
import { targetOf, verbOf } from './target.ts';
import { handleToken } from './token.ts';

const reviewPath = '/apis/authorization.k8s.io/v1/';

/** Answers one request, or throws an ApiError. */
export function route(context: ApiContext, request: ApiRequest): ApiResponse {
  const { path, method, user, query } = request;
  const target = targetOf(path);
  if (!target) return routePath(context, request);
  const watching = /^(1|true)$/.test(query.get('watch') ?? '');
  authorize(context, user, verbOf(method, target, watching), target);
  if (target.subresource === '' || (target.subresource === 'status' && target.resource.status))
    return handleObjects(context, target, request);
  return routeSubresource(context, target, request);
}

function routeSubresource(context: ApiContext, target: Target, request: ApiRequest): ApiResponse {
  const { resource, subresource } = target;
  if (resource === resources.pods && subresource === 'log') {
    if (request.method !== 'GET') throw methodNotAllowed();
    return handleLog(context, target, request);
  }
  if (resource === resources.pods && subresource === 'exec') throw badRequest('Upgrade request required');
  if (resource === resources.serviceAccounts && subresource === 'token' && request.method === 'POST')
    return handleToken(context, target, request);
  throw pageNotFound();
}

function routePath(context: ApiContext, request: ApiRequest): ApiResponse {
  const { path, method, user, body } = request;
  authorizePath(user, method, path);
  if (/^\/(healthz|livez|readyz)(\/|$)/.test(path)) return { code: 200, text: 'ok' };
  if (path.startsWith(reviewPath) && method === 'POST') {
    const { store } = context.registry;
    const kind = path.slice(reviewPath.length);
    if (kind === 'selfsubjectaccessreviews') return { code: 201, json: reviewAccess(store, user, body) };
    if (kind === 'selfsubjectrulesreviews') return { code: 201, json: reviewRules(store, user, body) };
  }
  if (path === '/apis/authentication.k8s.io/v1/selfsubjectreviews' && method === 'POST')
    return { code: 201, json: reviewSelf(user) };
  const found = method === 'GET' ? discovery(path, '127.0.0.1') : undefined;
  if (!found) throw pageNotFound();
  return { code: 200, json: found };
}
