import type { Clock } from '../../base/clock.ts';
import { resources } from '../api/resources.ts';
import { ApiError } from '../api/status.ts';
import type { RecordEvent } from '../controllers/events.ts';
import type { Faults } from '../faults/rules.ts';
import type { KubeObject } from '../store/object.ts';
import { timestamp } from '../store/object.ts';
import type { Condition, Pod } from '../store/pod.ts';
import { isTerminal, podOf } from '../store/pod.ts';
import type { Registry } from '../store/registry.ts';
import type { Change } from '../store/store.ts';
import type { Node } from './node.ts';
import { podStatusOf } from './pod-status.ts';
import type { PodWorker } from './pod-worker.ts';
import { startPod } from './pod-worker.ts';

export interface Kubelet extends AsyncDisposable {
  readonly node: Node;
  worker(pod: KubeObject): PodWorker | undefined;
  /** Ends the pod as the kubelet does under pressure. */
  evict(pod: KubeObject, message: string): Promise<void>;
  killForMemory(pod: KubeObject): void;
  /** Kills all pods without telling anybody, as a node that is gone does. */
  vanish(): Promise<void>;
}

/** Runs the pods that are bound to the node, and reports on them. */
export function createKubelet(
  node: Node,
  registry: Registry,
  record: RecordEvent,
  faults: Faults,
  clock: Clock,
  onRunning: (pod: KubeObject) => void,
): Kubelet {
  const { store } = registry;
  const workers = new Map<string, PodWorker>();
  const tasks = new Set<Promise<void>>();
  let mute = false;
  let closed = false;

  function track(work: Promise<void>): void {
    const task = work
      .catch((error: unknown) => {
        // The object went while it was worked on: nothing is left to do for it.
        if (!(error instanceof ApiError && error.code === 404)) throw error;
      })
      .finally(() => tasks.delete(task));
    tasks.add(task);
  }

  const current = (pod: Pod): KubeObject | undefined => {
    const found = store.get(resources.pods, pod.metadata.namespace, pod.metadata.name);
    return found?.metadata.uid === pod.metadata.uid ? found : undefined;
  };

  function begin(object: KubeObject): void {
    const pod = podOf(object);
    let wasRunning = false;
    const worker = startPod(pod, '127.0.0.1', {
      node,
      clock,
      report(next) {
        const now = current(pod);
        if (!now || mute) return;
        const status = podStatusOf(podOf(now), next, clock.date());
        const { namespace, name } = pod.metadata;
        const change = (one: KubeObject): KubeObject => ({ ...one, status });
        const updated = registry.update(resources.pods, namespace, name, change, { part: 'status' });
        if (status.phase !== 'Running' || wasRunning) return;
        wasRunning = true;
        onRunning(updated);
      },
      event(event) {
        const now = current(pod);
        if (now && !mute) record(now, { ...event, component: 'kubelet' });
      },
      pullFailure: () => {
        const rule = faults.take(['fail-pull'], 'pull-image', pod.metadata.name);
        return rule && (rule.message ?? 'a fault rule says so: manifest unknown');
      },
    });
    workers.set(pod.metadata.uid, worker);
  }

  async function terminate(object: KubeObject): Promise<void> {
    const { uid, namespace, name, deletionGracePeriodSeconds = 0 } = object.metadata;
    await workers.get(uid)?.stop(deletionGracePeriodSeconds * 1000);
    if (mute || closed) return;
    const left = store.get(resources.pods, namespace, name);
    if (left?.metadata.uid !== uid || left.metadata.deletionGracePeriodSeconds === 0) return;
    registry.delete(resources.pods, namespace, name, { gracePeriodSeconds: 0, preconditions: { uid } });
  }

  function onChange({ resource, type, object, previous }: Change): void {
    if (resource !== resources.pods || closed) return;
    const { uid, deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
    const worker = workers.get(uid);
    if (type === 'DELETED') {
      workers.delete(uid);
      if (worker) track(worker.remove());
      return;
    }
    const pod = podOf(object);
    if (pod.spec.nodeName !== node.name || mute) return;
    if (!worker && deletionTimestamp === undefined && !isTerminal(pod)) begin(object);
    const before = previous?.metadata;
    const shorter =
      before?.deletionTimestamp === undefined ||
      before.deletionGracePeriodSeconds !== deletionGracePeriodSeconds;
    if (deletionTimestamp !== undefined && shorter) track(terminate(object));
  }

  const unsubscribe = store.subscribe(onChange);

  return {
    node,
    worker: (pod) => workers.get(pod.metadata.uid),
    async evict(pod, message) {
      const condition: Condition = {
        type: 'DisruptionTarget',
        status: 'True',
        lastProbeTime: null,
        lastTransitionTime: timestamp(clock.date()),
        reason: 'TerminationByKubelet',
        message,
      };
      record(pod, { type: 'Warning', reason: 'Evicted', message, component: 'kubelet' });
      await workers.get(pod.metadata.uid)?.end('Evicted', message, condition);
    },
    killForMemory: (pod) => workers.get(pod.metadata.uid)?.killForMemory(),
    async vanish() {
      mute = true;
      await Promise.all([...workers.values()].map((worker) => worker.stop(0)));
      mute = false;
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      unsubscribe();
      await Promise.all([...workers.values()].map((worker) => worker.remove()));
      await Promise.all(tasks);
    },
  };
}
