import { allResources, resources } from '../api/resources.ts';
import type { KubeObject } from '../store/object.ts';
import type { Registry } from '../store/registry.ts';

/** Gives each namespace its default service account, and empties one that is to go. */
export function createNamespaceController(registry: Registry): () => void {
  const { store } = registry;
  const contents = allResources.filter(({ namespaced }) => namespaced);

  function empty(namespace: KubeObject): void {
    const { name } = namespace.metadata;
    let left = 0;
    for (const resource of contents) {
      for (const object of store.list(resource, name)) {
        if (object.metadata.deletionTimestamp === undefined)
          registry.delete(resource, name, object.metadata.name, { propagationPolicy: 'Background' });
        if (store.get(resource, name, object.metadata.name)) left += 1;
      }
    }
    if (left > 0) return;
    registry.update(resources.namespaces, undefined, name, (now) => ({
      ...now,
      metadata: { ...now.metadata, finalizers: [] },
    }));
  }

  return store.subscribe(({ type, resource, object }) => {
    if (resource === resources.namespaces && type === 'ADDED') {
      registry.create(resources.serviceAccounts, object.metadata.name, { metadata: { name: 'default' } });
      return;
    }
    const name = resource === resources.namespaces ? object.metadata.name : object.metadata.namespace;
    const namespace = name === undefined ? undefined : store.get(resources.namespaces, undefined, name);
    const ending = namespace?.metadata.deletionTimestamp !== undefined;
    if (ending && (type === 'DELETED' || resource === resources.namespaces))
      setImmediate(() => {
        if (store.get(resources.namespaces, undefined, name ?? '')) empty(namespace);
      });
  });
}
