import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { resources } from '../api/resources.ts';
import type { KubeObject } from '../store/object.ts';
import { timestamp } from '../store/object.ts';
import type { Store } from '../store/store.ts';

export interface EventText {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly component: string;
  /** The container that it is about. */
  readonly container?: string;
}

/** Writes down what happened to an object; one that repeats is counted. */
export type RecordEvent = (about: KubeObject, event: EventText) => void;

export function createEventRecorder(store: Store, clock: Clock): RecordEvent {
  const last = new Map<string, KubeObject>();
  const count = (event: KubeObject): number => (typeof event.count === 'number' ? event.count : 1);

  return (about, { type, reason, message, component, container }) => {
    const { namespace = 'default', name, uid, resourceVersion } = about.metadata;
    const now = timestamp(clock.date());
    const key = `${uid} ${reason} ${container ?? ''} ${message}`;
    const known = last.get(key);
    if (known && store.get(resources.events, namespace, known.metadata.name)) {
      last.set(key, store.put(resources.events, { ...known, count: count(known) + 1, lastTimestamp: now }));
      return;
    }
    if (store.get(resources.namespaces, undefined, namespace) === undefined) return;
    const recorded = store.put(resources.events, {
      kind: 'Event',
      apiVersion: 'v1',
      metadata: {
        name: `${name}.${randomBytes(8).toString('hex')}`,
        namespace,
        uid: randomUUID(),
        resourceVersion: '',
        creationTimestamp: now,
      },
      involvedObject: {
        kind: about.kind,
        ...(about.metadata.namespace !== undefined && { namespace }),
        name,
        uid,
        apiVersion: about.apiVersion,
        resourceVersion,
        ...(container !== undefined && { fieldPath: `spec.containers{${container}}` }),
      },
      reason,
      message,
      source: { component },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      type,
      eventTime: null,
      reportingComponent: component,
      reportingInstance: '',
    });
    last.set(key, recorded);
  };
}
