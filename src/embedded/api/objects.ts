import { jobWarning } from '../admission/admission.ts';
import { checkGrant } from '../auth/grants.ts';
import type { KubeObject } from '../store/object.ts';
import { sentObjectSchema } from '../store/object.ts';
import type { DeleteOptions } from '../store/registry.ts';
import { deleteOptionsSchema } from '../store/registry.ts';
import type { ApiContext, ApiRequest, ApiResponse } from './context.ts';
import { mergePatch } from './merge-patch.ts';
import { apiVersionOf, resources } from './resources.ts';
import { matcherOf } from './selectors.ts';
import { badRequest, methodNotAllowed, unsupportedMedia } from './status.ts';
import { tableOf, wantsTable } from './tables.ts';
import type { Target } from './target.ts';
import { watchLines } from './watch.ts';

/** Parses with a schema, or refuses the request. */
function parsedBody(request: ApiRequest): ReturnType<typeof sentObjectSchema.parse> {
  const result = sentObjectSchema.safeParse(request.body);
  if (!result.success)
    throw badRequest(`the object provided is unrecognized: ${result.error.issues[0]?.message ?? ''}`);
  return result.data;
}

const isTrue = (value: string | null): boolean => value === '1' || value === 'true';

function deleteOptions(request: ApiRequest): DeleteOptions {
  const query = request.query;
  const grace = query.get('gracePeriodSeconds');
  const result = deleteOptionsSchema.safeParse({
    ...(query.has('propagationPolicy') && { propagationPolicy: query.get('propagationPolicy') }),
    ...(grace !== null && { gracePeriodSeconds: Number(grace) }),
    ...(query.has('dryRun') && { dryRun: query.getAll('dryRun') }),
    ...(typeof request.body === 'object' ? request.body : {}),
  });
  if (!result.success) throw badRequest(`invalid DeleteOptions: ${result.error.issues[0]?.message ?? ''}`);
  return result.data;
}

/** Answers what is done to objects themselves: get, list, watch, create, replace, patch, delete. */
export function handleObjects(context: ApiContext, target: Target, request: ApiRequest): ApiResponse {
  const { registry } = context;
  const { resource, namespace, name, subresource } = target;
  const dryRun = request.query.has('dryRun');
  const part = subresource === 'status' ? 'status' : 'all';
  const show = (code: number, object: KubeObject): ApiResponse => ({
    code,
    json: wantsTable(request.accept) ? table(context, target, request, [object]) : object,
  });
  const granted = (previous: KubeObject, next: KubeObject): KubeObject => {
    const object = { ...next, metadata: { ...next.metadata, namespace: previous.metadata.namespace } };
    checkGrant(registry.store, request.user, { resource, object, previous });
    return object;
  };
  switch (request.method) {
    case 'GET':
      if (name === '')
        return isTrue(request.query.get('watch'))
          ? watch(context, target, request)
          : list(context, target, request);
      return show(200, registry.get(resource, namespace, name));
    case 'POST': {
      if (name !== '') throw methodNotAllowed();
      const sent = parsedBody(request);
      checkKind(target, sent.apiVersion, sent.kind);
      const home = resource.namespaced ? namespace : undefined;
      if (resource.group === resources.roles.group) {
        const object = registry.create(resource, home, sent, true);
        checkGrant(registry.store, request.user, { resource, object });
      }
      const created = registry.create(resource, home, sent, dryRun);
      const warning = resource === resources.jobs ? jobWarning(registry.store, created) : undefined;
      return { code: 201, json: created, warning };
    }
    case 'PUT': {
      const sent = parsedBody(request);
      const replace = (now: KubeObject): KubeObject => granted(now, { ...now, ...merged(now, sent) });
      return show(200, registry.update(resource, namespace, name, replace, { part, dryRun }));
    }
    case 'PATCH': {
      if (!/^application\/(strategic-)?merge-patch\+json/.test(request.contentType))
        throw unsupportedMedia(
          'the body of the request was in an unknown format - accepted media types include: application/merge-patch+json, application/strategic-merge-patch+json',
        );
      const patch = (now: KubeObject): KubeObject =>
        granted(now, merged(now, sentObjectSchema.parse(mergePatch(now, request.body))));
      return show(200, registry.update(resource, namespace, name, patch, { part, dryRun }));
    }
    case 'DELETE':
      return name === '' ? deleteAll(context, target, request) : deleteOne(context, target, request);
    default:
      throw methodNotAllowed();
  }
}

function checkKind({ resource }: Target, apiVersion: string | undefined, kind: string | undefined): void {
  const wanted = apiVersionOf(resource);
  if (kind !== undefined && kind !== resource.kind)
    throw badRequest(`the object provided is of kind ${kind}, not ${resource.kind}`);
  if (apiVersion !== undefined && apiVersion !== wanted)
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${wanted})`,
    );
}

/** What a client sent in place of `now`, with the server's own fields where it left them out. */
function merged(now: KubeObject, sent: ReturnType<typeof sentObjectSchema.parse>): KubeObject {
  const { apiVersion: _, kind: __, metadata, ...rest } = sent;
  return {
    kind: now.kind,
    apiVersion: now.apiVersion,
    metadata: {
      ...metadata,
      name: now.metadata.name,
      uid: metadata.uid ?? now.metadata.uid,
      resourceVersion: metadata.resourceVersion || now.metadata.resourceVersion,
      creationTimestamp: now.metadata.creationTimestamp,
      labels: metadata.labels ?? undefined,
      annotations: metadata.annotations ?? undefined,
      ownerReferences: metadata.ownerReferences ?? undefined,
      finalizers: metadata.finalizers ?? undefined,
    },
    ...rest,
  };
}

const table = (
  { registry, clock }: ApiContext,
  { resource }: Target,
  request: ApiRequest,
  objects: readonly KubeObject[],
): object =>
  tableOf(
    resource,
    objects,
    String(registry.store.version),
    request.query.get('includeObject'),
    clock.date(),
  );

function list(context: ApiContext, target: Target, request: ApiRequest): ApiResponse {
  const { resource, namespace } = target;
  const { store } = context.registry;
  const matches = matcherOf(request.query);
  const found = store
    .list(resource, namespace)
    .filter(matches)
    .sort((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
  if (wantsTable(request.accept)) return { code: 200, json: table(context, target, request, found) };
  return {
    code: 200,
    json: {
      kind: `${resource.kind}List`,
      apiVersion: apiVersionOf(resource),
      metadata: { resourceVersion: String(store.version) },
      items: found.map(({ kind: _, apiVersion: __, ...rest }) => rest),
    },
  };
}

function watch(context: ApiContext, target: Target, request: ApiRequest): ApiResponse {
  const { query } = request;
  const version = query.get('resourceVersion') ?? '';
  const initial = isTrue(query.get('sendInitialEvents'));
  const seconds = Number(query.get('timeoutSeconds') ?? 0);
  const stream = watchLines(
    context.registry.store,
    {
      resource: target.resource,
      namespace: target.namespace,
      matches: matcherOf(query),
      from: version === '' || version === '0' || initial ? undefined : Number(version),
      bookmarks: isTrue(query.get('allowWatchBookmarks')),
      markInitial: initial,
      timeoutMs: seconds > 0 ? seconds * 1000 : 45 * 60_000,
      show: (object) => (wantsTable(request.accept) ? table(context, target, request, [object]) : object),
    },
    context.clock,
    request.signal,
  );
  return { code: 200, type: 'application/json', stream };
}

function deleteOne(context: ApiContext, target: Target, request: ApiRequest): ApiResponse {
  const { resource, namespace, name } = target;
  const { object, removed } = context.registry.delete(resource, namespace, name, deleteOptions(request));
  if (!removed || resource === resources.pods) return { code: 200, json: object };
  return {
    code: 200,
    json: {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: {
        name,
        ...(resource.group !== '' && { group: resource.group }),
        kind: resource.plural,
        uid: object.metadata.uid,
      },
    },
  };
}

function deleteAll(context: ApiContext, target: Target, request: ApiRequest): ApiResponse {
  const { resource, namespace } = target;
  const options = deleteOptions(request);
  const found = context.registry.store.list(resource, namespace).filter(matcherOf(request.query));
  const items = found.map(
    ({ metadata }) => context.registry.delete(resource, metadata.namespace, metadata.name, options).object,
  );
  const { version } = context.registry.store;
  return {
    code: 200,
    json: {
      kind: `${resource.kind}List`,
      apiVersion: apiVersionOf(resource),
      metadata: { resourceVersion: String(version) },
      items,
    },
  };
}
