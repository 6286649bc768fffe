import type { Resource } from '../api/resources.ts';
import type { KubeObject } from './object.ts';

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly previous: KubeObject | undefined;
  readonly version: number;
}

type ChangeListener = (change: Change) => void;

/** Objects in memory, their versions, and the history that watches resume from. */
export interface Store {
  readonly version: number;
  get(resource: Resource, namespace: string | undefined, name: string): KubeObject | undefined;
  list(resource: Resource, namespace?: string): KubeObject[];
  /** Puts an object in place and gives it the next version. */
  put(resource: Resource, object: KubeObject): KubeObject;
  /** Takes an object away; the one told to listeners bears the next version. */
  remove(resource: Resource, object: KubeObject): KubeObject;
  /** What came after `version`; undefined where the history does not reach back so far. */
  since(version: number): readonly Change[] | undefined;
  /** The oldest version that `since` knows. */
  readonly oldest: number;
  subscribe(listener: ChangeListener): () => void;
}

const historyLimit = 10_000;

export function createStore(): Store {
  const collections = new Map<string, Map<string, KubeObject>>();
  const listeners = new Set<ChangeListener>();
  let history: Change[] = [];
  let version = 1;
  let oldest = 1;

  const collection = (resource: Resource): Map<string, KubeObject> => {
    const id = `${resource.plural}.${resource.group}`;
    const found = collections.get(id) ?? new Map<string, KubeObject>();
    collections.set(id, found);
    return found;
  };
  const keyOf = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;

  function tell(change: Change): void {
    history.push(change);
    if (history.length > historyLimit * 2) {
      history = history.slice(-historyLimit);
      oldest = (history[0]?.version ?? version) - 1;
    }
    for (const listener of [...listeners]) listener(change);
  }

  const stamped = (object: KubeObject): KubeObject => {
    version += 1;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
  };

  return {
    get version() {
      return version;
    },
    get oldest() {
      return oldest;
    },
    get: (resource, namespace, name) => collection(resource).get(keyOf(namespace, name)),
    list: (resource, namespace) =>
      [...collection(resource).values()].filter(
        (object) => namespace === undefined || object.metadata.namespace === namespace,
      ),
    put(resource, object) {
      const objects = collection(resource);
      const key = keyOf(object.metadata.namespace, object.metadata.name);
      const previous = objects.get(key);
      const stored = stamped(object);
      objects.set(key, stored);
      tell({ type: previous ? 'MODIFIED' : 'ADDED', resource, object: stored, previous, version });
      return stored;
    },
    remove(resource, object) {
      const { namespace, name } = object.metadata;
      const removed = stamped(object);
      collection(resource).delete(keyOf(namespace, name));
      tell({ type: 'DELETED', resource, object: removed, previous: object, version });
      return removed;
    },
    since: (from) => (from < oldest ? undefined : history.filter((change) => change.version > from)),
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
