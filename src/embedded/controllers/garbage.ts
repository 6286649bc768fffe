import { allResources, resourceOfKind } from '../api/resources.ts';
import type { KubeObject } from '../store/object.ts';
import type { Registry } from '../store/registry.ts';

const waitsForDependents = (object: KubeObject): boolean =>
  object.metadata.deletionTimestamp !== undefined &&
  (object.metadata.finalizers?.includes('foregroundDeletion') ?? false);

/** Deletes what is owned by nothing that is left, and ends deletions that wait for what they own. */
export function createGarbageCollector(registry: Registry): () => void {
  const { store } = registry;
  let due = false;
  let stopped = false;

  function change(
    object: KubeObject,
    update: (meta: KubeObject['metadata']) => Partial<KubeObject['metadata']>,
  ): void {
    const resource = resourceOfKind(object.apiVersion, object.kind);
    const { namespace, name } = object.metadata;
    if (!resource || !store.get(resource, namespace, name)) return;
    registry.update(resource, namespace, name, (now) => ({
      ...now,
      metadata: { ...now.metadata, ...update(now.metadata) },
    }));
  }

  const dropFinalizer = (object: KubeObject, finalizer: string): void =>
    change(object, ({ finalizers }) => ({ finalizers: finalizers?.filter((one) => one !== finalizer) }));

  function sweep(): void {
    const all = allResources.flatMap((resource) => store.list(resource));
    const byUid = new Map(all.map((object) => [object.metadata.uid, object]));
    const dependents = new Map<string, KubeObject[]>();
    for (const object of all)
      for (const { uid } of object.metadata.ownerReferences ?? [])
        dependents.set(uid, [...(dependents.get(uid) ?? []), object]);

    for (const object of all) {
      const { uid, deletionTimestamp, finalizers = [] } = object.metadata;
      if (deletionTimestamp === undefined) continue;
      const owned = dependents.get(uid) ?? [];
      if (finalizers.includes('orphan')) {
        for (const one of owned)
          change(one, ({ ownerReferences }) => ({
            ownerReferences: ownerReferences?.filter((ref) => ref.uid !== uid),
          }));
        dropFinalizer(object, 'orphan');
      }
      const blocking = owned.some((one) =>
        one.metadata.ownerReferences?.some((ref) => ref.uid === uid && ref.blockOwnerDeletion),
      );
      if (finalizers.includes('foregroundDeletion') && !blocking) dropFinalizer(object, 'foregroundDeletion');
    }
    for (const object of all) judge(object, byUid);
  }

  function judge(object: KubeObject, byUid: ReadonlyMap<string, KubeObject>): void {
    const { ownerReferences = [], deletionTimestamp, namespace, name, uid } = object.metadata;
    if (ownerReferences.length === 0) return;
    const orphaning = (owner: KubeObject): boolean => owner.metadata.finalizers?.includes('orphan') ?? false;
    const solid = ownerReferences.filter((ref) => {
      const owner = byUid.get(ref.uid);
      return owner && (!waitsForDependents(owner) || orphaning(owner));
    });
    if (solid.length === ownerReferences.length) return;
    const resource = resourceOfKind(object.apiVersion, object.kind);
    if (!resource || store.get(resource, namespace, name)?.metadata.uid !== uid) return;
    if (solid.length > 0) change(object, () => ({ ownerReferences: solid }));
    else if (deletionTimestamp === undefined)
      registry.delete(resource, namespace, name, { propagationPolicy: 'Background', preconditions: { uid } });
  }

  const unsubscribe = store.subscribe(({ object, type }) => {
    const { ownerReferences, deletionTimestamp } = object.metadata;
    if (due || (!ownerReferences?.length && deletionTimestamp === undefined && type !== 'DELETED')) return;
    due = true;
    setImmediate(() => {
      due = false;
      if (!stopped) sweep();
    });
  });
  return () => {
    stopped = true;
    unsubscribe();
  };
}
