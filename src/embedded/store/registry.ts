import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { Resource } from '../api/resources.ts';
import { apiVersionOf, resources } from '../api/resources.ts';
import type { FieldFault } from '../api/status.ts';
import {
  alreadyExists,
  badRequest,
  conflict,
  forbidden,
  invalid,
  notFound,
  preconditionFailed,
} from '../api/status.ts';
import { generatedName, labelValueFault, nameFault } from './names.ts';
import type { KubeObject, ObjectMeta, SentObject } from './object.ts';
import { timestamp } from './object.ts';
import type { Store } from './store.ts';

export const deleteOptionsSchema = z.looseObject({
  propagationPolicy: z.enum(['Background', 'Foreground', 'Orphan']).optional(),
  gracePeriodSeconds: z.number().int().optional(),
  preconditions: z.object({ uid: z.string().optional(), resourceVersion: z.string().optional() }).optional(),
  dryRun: z.array(z.string()).optional(),
});

export type DeleteOptions = z.infer<typeof deleteOptionsSchema>;

/**
 * What a kind adds to the common handling of objects: sets defaults, and throws an ApiError for what it
 * refuses, `faults` that were found already among it.
 */
export type Admission = (resource: Resource, object: KubeObject, faults: readonly FieldFault[]) => KubeObject;

/** Objects with the meaning that the API gives to making, changing and deleting them. */
export interface Registry {
  readonly store: Store;
  create(resource: Resource, namespace: string | undefined, sent: SentObject, dryRun?: boolean): KubeObject;
  get(resource: Resource, namespace: string | undefined, name: string): KubeObject;
  /** Replaces an object by what `change` makes of it. A changed spec makes a new generation. */
  update(
    resource: Resource,
    namespace: string | undefined,
    name: string,
    change: (current: KubeObject) => KubeObject,
    options?: { readonly part?: 'all' | 'status'; readonly dryRun?: boolean },
  ): KubeObject;
  delete(
    resource: Resource,
    namespace: string | undefined,
    name: string,
    options: DeleteOptions,
  ): { readonly object: KubeObject; readonly removed: boolean };
}

const graceSchema = z.looseObject({
  spec: z.looseObject({
    nodeName: z.string().optional(),
    terminationGracePeriodSeconds: z.number().optional(),
  }),
  status: z.looseObject({ phase: z.string().optional() }).optional(),
});

/** How long an object may take to end, in seconds. Only pods on a node need any time. */
function gracePeriod(resource: Resource, object: KubeObject, asked: number | undefined): number {
  if (resource !== resources.pods) return 0;
  const { spec, status } = graceSchema.parse(object);
  if (!spec.nodeName || status?.phase === 'Succeeded' || status?.phase === 'Failed') return 0;
  return Math.max(0, asked ?? spec.terminationGracePeriodSeconds ?? 30);
}

/** batch/v1 orphans the pods of a Job that is deleted without a policy; everything else does not. */
const defaultPolicy = (resource: Resource): 'Orphan' | 'Background' =>
  resource === resources.jobs ? 'Orphan' : 'Background';

function metaFaults(meta: ObjectMeta): FieldFault[] {
  const faults: FieldFault[] = [];
  const wrong = nameFault(meta.name);
  if (wrong) faults.push({ field: 'metadata.name', reason: 'FieldValueInvalid', message: wrong });
  for (const value of Object.values(meta.labels ?? {})) {
    const message = labelValueFault(value);
    if (message) faults.push({ field: 'metadata.labels', reason: 'FieldValueInvalid', message });
  }
  return faults;
}

export function createRegistry(store: Store, clock: Clock, admit: Admission): Registry {
  const now = (): string => timestamp(clock.date());

  function get(resource: Resource, namespace: string | undefined, name: string): KubeObject {
    const found = store.get(resource, namespace, name);
    if (!found) throw notFound(resource, name);
    return found;
  }

  /** Stores a changed object, or removes it where deletion waited for this change only. */
  function settle(resource: Resource, object: KubeObject): KubeObject {
    const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
    const done = deletionTimestamp !== undefined && !deletionGracePeriodSeconds && !finalizers?.length;
    return done ? store.remove(resource, object) : store.put(resource, object);
  }

  return {
    store,
    get,
    create(resource, namespace, sent, dryRun = false) {
      const meta = sent.metadata;
      if (resource.namespaced)
        checkNamespace(store, resource, namespace, meta.name ?? meta.generateName ?? '');
      if (resource.namespaced && meta.namespace !== undefined && meta.namespace !== namespace)
        throw badRequest(
          'the namespace of the provided object does not match the namespace sent on the request',
        );
      const name = meta.name || (meta.generateName ? generatedName(meta.generateName) : '');
      if (name === '')
        throw invalid(resource, '', [
          {
            field: 'metadata.name',
            reason: 'FieldValueRequired',
            message: 'Required value: name or generateName is required',
          },
        ]);
      const { apiVersion: _, kind: __, metadata: ___, ...rest } = sent;
      const object: KubeObject = {
        kind: resource.kind,
        apiVersion: apiVersionOf(resource),
        metadata: {
          ...meta,
          name,
          namespace,
          uid: randomUUID(),
          resourceVersion: '',
          generation: 1,
          creationTimestamp: now(),
          labels: meta.labels ?? undefined,
          annotations: meta.annotations ?? undefined,
          ownerReferences: meta.ownerReferences ?? undefined,
          finalizers: meta.finalizers ?? undefined,
        },
        ...rest,
      };
      const admitted = admit(resource, object, metaFaults(object.metadata));
      if (store.get(resource, namespace, name)) throw alreadyExists(resource, name);
      return dryRun ? admitted : store.put(resource, admitted);
    },

    update(resource, namespace, name, change, options = {}) {
      const current = get(resource, namespace, name);
      const wanted = change(current);
      if (wanted.metadata.uid !== current.metadata.uid)
        throw conflict(
          resource,
          name,
          `Precondition failed: UID in precondition: ${wanted.metadata.uid}, UID in object meta: ${current.metadata.uid}`,
        );
      if (wanted.metadata.resourceVersion !== current.metadata.resourceVersion)
        throw conflict(
          resource,
          name,
          'the object has been modified; please apply your changes to the latest version and try again',
        );
      const { status: newStatus, ...wantedRest } = wanted;
      const { status: oldStatus, ...currentRest } = current;
      const body = options.part === 'status' ? currentRest : wantedRest;
      const status = resource.status && options.part !== 'status' ? oldStatus : newStatus;
      const respecced = !isDeepStrictEqual(body.spec, currentRest.spec);
      const next: KubeObject = {
        ...body,
        kind: current.kind,
        apiVersion: current.apiVersion,
        metadata: {
          ...body.metadata,
          name,
          namespace,
          uid: current.metadata.uid,
          resourceVersion: current.metadata.resourceVersion,
          creationTimestamp: current.metadata.creationTimestamp,
          deletionTimestamp: current.metadata.deletionTimestamp,
          deletionGracePeriodSeconds: current.metadata.deletionGracePeriodSeconds,
          generation: (current.metadata.generation ?? 1) + (respecced ? 1 : 0),
        },
        ...(status !== undefined && { status }),
      };
      const faults = metaFaults(next.metadata);
      if (faults.length > 0) throw invalid(resource, name, faults);
      if (options.dryRun || isDeepStrictEqual(next, current)) return next;
      return settle(resource, next);
    },

    delete(resource, namespace, name, options) {
      const object = get(resource, namespace, name);
      checkPreconditions(resource, object, options);
      const grace = gracePeriod(resource, object, options.gracePeriodSeconds);
      const policy = options.propagationPolicy ?? defaultPolicy(resource);
      const meta = object.metadata;
      const finalizers = new Set(meta.finalizers ?? []);
      if (meta.deletionTimestamp === undefined || options.propagationPolicy) {
        finalizers.delete('orphan');
        finalizers.delete('foregroundDeletion');
        if (policy === 'Orphan') finalizers.add('orphan');
        if (policy === 'Foreground') finalizers.add('foregroundDeletion');
      }
      const earlier =
        meta.deletionTimestamp === undefined ? undefined : (meta.deletionGracePeriodSeconds ?? 0);
      const seconds = earlier === undefined ? grace : Math.min(earlier, grace);
      const wanted: KubeObject = {
        ...object,
        metadata: {
          ...meta,
          finalizers: finalizers.size > 0 ? [...finalizers] : undefined,
          deletionTimestamp:
            earlier === seconds
              ? meta.deletionTimestamp
              : timestamp(new Date(clock.date().getTime() + seconds * 1000)),
          deletionGracePeriodSeconds: seconds,
          generation: (meta.generation ?? 1) + (earlier === undefined ? 1 : 0),
        },
      };
      const removed = seconds === 0 && finalizers.size === 0;
      if (options.dryRun?.length) return { object: wanted, removed };
      if (!removed && isDeepStrictEqual(wanted, object)) return { object, removed };
      return { object: settle(resource, wanted), removed };
    },
  };
}

function checkNamespace(store: Store, resource: Resource, namespace: string | undefined, name: string): void {
  const found = store.get(resources.namespaces, undefined, namespace ?? '');
  if (!found) throw notFound(resources.namespaces, namespace ?? '');
  if (found.metadata.deletionTimestamp !== undefined)
    throw forbidden(
      resource,
      name,
      `unable to create new content in namespace ${namespace} because it is being terminated`,
    );
}

function checkPreconditions(resource: Resource, object: KubeObject, options: DeleteOptions): void {
  const { uid, resourceVersion } = options.preconditions ?? {};
  const { name, uid: own, resourceVersion: version } = object.metadata;
  if (uid !== undefined && uid !== own)
    throw preconditionFailed(
      resource,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${own}). The object might have been deleted and then recreated`,
    );
  if (resourceVersion !== undefined && resourceVersion !== version)
    throw preconditionFailed(
      resource,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${version}). The object might have been modified`,
    );
}
