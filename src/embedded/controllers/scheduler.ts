import { setMaxListeners } from 'node:events';
import type { Clock } from '../../base/clock.ts';
import { quantity } from '../../base/quantity.ts';
import { resources } from '../api/resources.ts';
import type { KubeObject } from '../store/object.ts';
import { timestamp } from '../store/object.ts';
import type { Pod } from '../store/pod.ts';
import { isTerminal, podOf } from '../store/pod.ts';
import type { Registry } from '../store/registry.ts';
import type { RecordEvent } from './events.ts';

/** The size and the labels of the node that the cluster can have. */
export interface NodeShape {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly cpus: number;
  readonly memoryBytes: number;
}

export interface Scheduler {
  /** Takes the node away, as if its machine had gone. */
  loseNode(): void;
  stop(): void;
}

export interface SchedulerOptions {
  readonly shape: NodeShape;
  readonly nodeDelayMs: number;
  readonly nodeHoldMs: number;
}

const preemption = (known: number): string =>
  `no new claims to deallocate, preemption: 0/${known} nodes are available: ${known} Preemption is not helpful for scheduling.`;

/** Why a node of this shape could not take the pod, in the scheduler's words; undefined when it could. */
export function misfit(pod: Pod, shape: NodeShape, others: readonly Pod[]): string | undefined {
  const selector = Object.entries(pod.spec.nodeSelector ?? {});
  if (selector.some(([key, value]) => shape.labels[key] !== value))
    return "node(s) didn't match Pod's node affinity/selector";
  const asked = (name: string, pods: readonly Pod[]): number =>
    pods
      .flatMap(({ spec }) => spec.containers)
      .reduce(
        (sum, { resources: wants }) =>
          sum + (quantity(wants?.requests?.[name] ?? wants?.limits?.[name] ?? 0) ?? 0),
        0,
      );
  if (asked('cpu', [...others, pod]) > shape.cpus) return 'Insufficient cpu';
  if (asked('memory', [...others, pod]) > shape.memoryBytes) return 'Insufficient memory';
  return undefined;
}

/** Binds pods to the one node, which comes when a pod needs it and goes when none does. */
export function createScheduler(
  registry: Registry,
  record: RecordEvent,
  clock: Clock,
  { shape, nodeDelayMs, nodeHoldMs }: SchedulerOptions,
): Scheduler {
  const { store } = registry;
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // one for each timer
  let coming = false;
  let idle: AbortController | undefined;
  let due = false;

  const node = (): KubeObject | undefined => store.get(resources.nodes, undefined, shape.name);
  const pods = (): KubeObject[] => store.list(resources.pods);
  const onNode = (): Pod[] =>
    pods()
      .map(podOf)
      .filter((pod) => pod.spec.nodeName === shape.name && !isTerminal(pod));

  function sweep(): void {
    for (const object of pods()) {
      const pod = podOf(object);
      if (pod.spec.nodeName || pod.metadata.deletionTimestamp !== undefined || isTerminal(pod)) continue;
      const room = misfit(pod, shape, onNode());
      if (node() && room === undefined) bind(object);
      else unschedulable(object, pod, room);
    }
    const working = onNode().length > 0;
    if (working) idle?.abort();
    if (working || !node() || (idle && !idle.signal.aborted)) return;
    const timer = new AbortController();
    idle = timer;
    clock.sleep(nodeHoldMs, AbortSignal.any([timer.signal, stop.signal])).then(
      () => {
        timer.abort();
        removeNode();
      },
      () => {},
    );
  }

  function bind(object: KubeObject): void {
    const { namespace, name } = object.metadata;
    const now = timestamp(clock.date());
    const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now };
    // Binding is no change of the pod's spec by its owner: its generation stays, and its status is set beside it.
    store.put(resources.pods, {
      ...object,
      spec: { ...podOf(object).spec, nodeName: shape.name },
      status: { ...podOf(object).status, conditions: [scheduled] },
    });
    record(object, {
      type: 'Normal',
      reason: 'Scheduled',
      message: `Successfully assigned ${namespace}/${name} to ${shape.name}`,
      component: 'default-scheduler',
    });
  }

  function unschedulable(object: KubeObject, pod: Pod, room: string | undefined): void {
    const known = node() ? 1 : 0;
    const message =
      known === 0
        ? 'no nodes available to schedule pods'
        : `0/${known} nodes are available: ${known} ${room}. ${preemption(known)}`;
    if (pod.status.conditions?.some(({ type, message: said }) => type === 'PodScheduled' && said === message))
      return;
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      lastProbeTime: null,
      lastTransitionTime: timestamp(clock.date()),
      reason: 'Unschedulable',
      message,
    };
    const { namespace, name } = object.metadata;
    if (nodeDelayMs > 0 || room !== undefined) {
      registry.update(
        resources.pods,
        namespace,
        name,
        (now) => ({ ...now, status: { ...pod.status, conditions: [condition] } }),
        { part: 'status' },
      );
      record(object, {
        type: 'Warning',
        reason: 'FailedScheduling',
        message,
        component: 'default-scheduler',
      });
    }
    if (known > 0 && !isTooFull(pod)) return;
    scaleUp(object, pod);
  }

  const isTooFull = (pod: Pod): boolean => misfit(pod, shape, []) !== undefined;

  function scaleUp(object: KubeObject, pod: Pod): void {
    const never = misfit(pod, shape, []);
    const component = 'cluster-autoscaler';
    if (never !== undefined) {
      const message = `pod didn't trigger scale-up: 1 ${never}`;
      record(object, { type: 'Normal', reason: 'NotTriggerScaleUp', message, component });
      return;
    }
    if (nodeDelayMs > 0)
      record(object, {
        type: 'Normal',
        reason: 'TriggeredScaleUp',
        message: 'pod triggered scale-up: [{embedded 0->1 (max: 1)}]',
        component,
      });
    if (coming) return;
    coming = true;
    if (nodeDelayMs === 0) addNode();
    else clock.sleep(nodeDelayMs, stop.signal).then(addNode, () => {});
  }

  function addNode(): void {
    coming = false;
    registry.create(resources.nodes, undefined, {
      metadata: { name: shape.name, labels: { ...shape.labels } },
      spec: {},
      status: nodeStatus(shape, timestamp(clock.date())),
    });
  }

  function removeNode(): void {
    if (node()) registry.delete(resources.nodes, undefined, shape.name, {});
    // What is left of pods on a node that is gone is removed, as the pod garbage collector does.
    for (const object of pods()) {
      const pod = podOf(object);
      if (pod.spec.nodeName !== shape.name) continue;
      const { namespace, name, uid } = object.metadata;
      if (!isTerminal(pod)) failLost(object, pod);
      registry.delete(resources.pods, namespace, name, { gracePeriodSeconds: 0, preconditions: { uid } });
    }
  }

  function failLost(object: KubeObject, pod: Pod): void {
    const { namespace, name } = object.metadata;
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: timestamp(clock.date()),
      reason: 'DeletionByPodGC',
      message: 'PodGC: node no longer exists',
    };
    const status = {
      ...pod.status,
      phase: 'Failed',
      conditions: [...(pod.status.conditions ?? []), condition],
    };
    registry.update(resources.pods, namespace, name, (now) => ({ ...now, status }), { part: 'status' });
  }

  const unsubscribe = store.subscribe(({ resource }) => {
    if (due || (resource !== resources.pods && resource !== resources.nodes)) return;
    due = true;
    setImmediate(() => {
      due = false;
      if (!stop.signal.aborted) sweep();
    });
  });
  return {
    loseNode: removeNode,
    stop() {
      stop.abort();
      unsubscribe();
    },
  };
}

const nodeStatus = ({ name, cpus, memoryBytes }: NodeShape, now: string): object => {
  const capacity = { cpu: String(cpus), memory: `${Math.floor(memoryBytes / 1024)}Ki`, pods: '110' };
  return {
    capacity,
    allocatable: capacity,
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        lastHeartbeatTime: now,
        lastTransitionTime: now,
        reason: 'KubeletReady',
        message: 'kubelet is posting ready status',
      },
    ],
    addresses: [
      { type: 'InternalIP', address: '127.0.0.1' },
      { type: 'Hostname', address: name },
    ],
    nodeInfo: {
      kubeletVersion: 'v1.36.0+embedded',
      operatingSystem: 'linux',
      containerRuntimeVersion: 'embedded://1',
    },
  };
};
