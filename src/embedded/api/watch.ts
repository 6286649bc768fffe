import type { Clock } from '../../base/clock.ts';
import type { KubeObject } from '../store/object.ts';
import type { Change, Store } from '../store/store.ts';
import type { Resource } from './resources.ts';
import { apiVersionOf } from './resources.ts';
import type { Matcher } from './selectors.ts';
import { gone } from './status.ts';

export interface WatchOptions {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly matches: Matcher;
  /** Where to go on; undefined begins with all that is there. */
  readonly from: number | undefined;
  readonly bookmarks: boolean;
  /** Whether a bookmark tells where the objects that were there already end. */
  readonly markInitial: boolean;
  readonly timeoutMs: number;
  /** How an object is shown (as a table, perhaps). */
  readonly show: (object: KubeObject) => object;
}

const bookmarkMs = 60_000;

interface Event {
  readonly type: string;
  readonly object: object;
}

/** What a change is to a watch that sees only some objects; undefined for one that it does not see. */
function eventOf(change: Change, { resource, namespace, matches }: WatchOptions): Change['type'] | undefined {
  const { object, previous, type } = change;
  if (change.resource !== resource) return undefined;
  if (namespace !== undefined && object.metadata.namespace !== namespace) return undefined;
  const before = previous !== undefined && matches(previous);
  const after = type !== 'DELETED' && matches(object);
  if (after) return before ? 'MODIFIED' : 'ADDED';
  return before ? 'DELETED' : undefined;
}

const bookmark = ({ resource }: WatchOptions, version: number, initial: boolean): Event => ({
  type: 'BOOKMARK',
  object: {
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    metadata: {
      resourceVersion: String(version),
      creationTimestamp: null,
      ...(initial && { annotations: { 'k8s.io/initial-events-end': 'true' } }),
    },
  },
});

/** The lines of a watch, until its time is up or `signal` is aborted. */
export async function* watchLines(
  store: Store,
  options: WatchOptions,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const queue: Event[] = [];
  let wake: () => void = () => {};
  const push = (event: Event): void => {
    queue.push(event);
    wake();
  };
  const see = (change: Change): void => {
    const type = eventOf(change, options);
    if (type) push({ type, object: options.show(change.object) });
  };

  if (options.from === undefined) {
    for (const object of store.list(options.resource, options.namespace))
      if (options.matches(object)) push({ type: 'ADDED', object: options.show(object) });
    if (options.markInitial) push(bookmark(options, store.version, true));
  } else {
    const missed = store.since(options.from);
    if (!missed) {
      yield `${JSON.stringify({ type: 'ERROR', object: gone(options.from, store.oldest).body })}\n`;
      return;
    }
    missed.forEach(see);
  }
  const unsubscribe = store.subscribe(see);
  const over = new AbortController();
  const stop = AbortSignal.any([signal, over.signal]);
  let ended = false;
  clock.sleep(options.timeoutMs, stop).then(
    () => {
      ended = true;
      if (options.bookmarks) push(bookmark(options, store.version, false));
      wake();
    },
    () => {},
  );
  const remind = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(bookmarkMs, stop);
      push(bookmark(options, store.version, false));
    }
  };
  if (options.bookmarks) remind().catch(() => {});
  const onAbort = (): void => wake();
  signal.addEventListener('abort', onAbort);
  try {
    for (;;) {
      const event = queue.shift();
      if (event) {
        yield `${JSON.stringify(event)}\n`;
        continue;
      }
      if (ended || signal.aborted) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    over.abort();
    unsubscribe();
    signal.removeEventListener('abort', onAbort);
  }
}
