import { timestamp } from '../store/object.ts';
import type { Condition, Container, Pod } from '../store/pod.ts';

export type ContainerState =
  | { readonly kind: 'waiting'; readonly reason: string; readonly message?: string }
  | { readonly kind: 'running'; readonly startedAt: Date; readonly id: string }
  | {
      readonly kind: 'terminated';
      readonly exitCode: number;
      readonly reason: string;
      readonly message?: string;
      readonly startedAt: Date;
      readonly finishedAt: Date;
      readonly id: string;
    };

export interface ContainerRecord {
  readonly spec: Container;
  readonly state: ContainerState;
  readonly last?: ContainerState;
  readonly restarts: number;
}

export interface PodRecord {
  readonly containers: readonly ContainerRecord[];
  readonly startTime: Date;
  readonly hostIP: string;
  readonly podIP: string | undefined;
  /** Set when the pod was ended from outside: `Evicted`, … */
  readonly ended?:
    | { readonly reason: string; readonly message: string; readonly condition?: Condition }
    | undefined;
}

function stateOf(state: ContainerState): object {
  switch (state.kind) {
    case 'waiting':
      return { waiting: { reason: state.reason, ...(state.message && { message: state.message }) } };
    case 'running':
      return { running: { startedAt: timestamp(state.startedAt) } };
    case 'terminated':
      return {
        terminated: {
          exitCode: state.exitCode,
          reason: state.reason,
          ...(state.message && { message: state.message }),
          startedAt: timestamp(state.startedAt),
          finishedAt: timestamp(state.finishedAt),
          containerID: state.id,
        },
      };
  }
}

function phaseOf(record: PodRecord, restartPolicy: string): 'Pending' | 'Running' | 'Succeeded' | 'Failed' {
  const states = record.containers.map(({ state }) => state);
  if (record.ended && states.every(({ kind }) => kind !== 'running')) return 'Failed';
  if (states.some(({ kind }) => kind === 'waiting') && !states.some(({ kind }) => kind === 'running')) {
    return record.containers.some(({ restarts }) => restarts > 0) ? 'Running' : 'Pending';
  }
  if (states.some(({ kind }) => kind !== 'terminated') || restartPolicy === 'Always') return 'Running';
  const failed = states.some((state) => state.kind === 'terminated' && state.exitCode !== 0);
  if (failed && restartPolicy === 'OnFailure') return 'Running';
  return failed ? 'Failed' : 'Succeeded';
}

/** The conditions of a pod on its node; times are kept where nothing changed. */
function conditionsOf(pod: Pod, record: PodRecord, phase: string, now: string): Condition[] {
  const over = phase === 'Succeeded' || phase === 'Failed';
  const unready = record.containers
    .filter(({ state }) => state.kind !== 'running')
    .map(({ spec }) => spec.name);
  const ready = unready.length === 0 && !over;
  const because = over
    ? { reason: phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed' }
    : { reason: 'ContainersNotReady', message: `containers with unready status: [${unready.join(' ')}]` };
  const wanted: { type: string; holds: boolean; why?: object }[] = [
    { type: 'PodReadyToStartContainers', holds: record.podIP !== undefined && !over },
    { type: 'Initialized', holds: true, ...(phase === 'Succeeded' && { why: { reason: 'PodCompleted' } }) },
    { type: 'Ready', holds: ready, ...(!ready && { why: because }) },
    { type: 'ContainersReady', holds: ready, ...(!ready && { why: because }) },
    { type: 'PodScheduled', holds: true },
  ];
  const conditions = wanted.map(({ type, holds, why }) => {
    const status = holds ? 'True' : 'False';
    const before = pod.status.conditions?.find((one) => one.type === type);
    const since = before?.status === status ? (before.lastTransitionTime ?? now) : now;
    return {
      type,
      observedGeneration: pod.metadata.generation ?? 1,
      status,
      lastProbeTime: null,
      lastTransitionTime: since,
      ...why,
    };
  });
  const others = (pod.status.conditions ?? []).filter(({ type }) => !wanted.some((one) => one.type === type));
  const own = record.ended?.condition;
  return [...others, ...(own && !others.some(({ type }) => type === own.type) ? [own] : []), ...conditions];
}

/** The whole status of a pod, as the kubelet reports it. */
export function podStatusOf(pod: Pod, record: PodRecord, now: Date): Record<string, unknown> {
  const phase = phaseOf(record, pod.spec.restartPolicy ?? 'Always');
  return {
    observedGeneration: pod.metadata.generation ?? 1,
    phase,
    ...(record.ended && { reason: record.ended.reason, message: record.ended.message }),
    conditions: conditionsOf(pod, record, phase, timestamp(now)),
    hostIP: record.hostIP,
    hostIPs: [{ ip: record.hostIP }],
    ...(record.podIP !== undefined && { podIP: record.podIP, podIPs: [{ ip: record.podIP }] }),
    startTime: timestamp(record.startTime),
    containerStatuses: record.containers.map(({ spec, state, last, restarts }) => ({
      name: spec.name,
      state: stateOf(state),
      lastState: last ? stateOf(last) : {},
      ready: state.kind === 'running',
      restartCount: restarts,
      image: spec.image,
      imageID: '',
      ...(state.kind !== 'waiting' && { containerID: state.id }),
      started: state.kind === 'running',
    })),
    qosClass: pod.status.qosClass,
  };
}
