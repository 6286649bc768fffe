import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { messageOf, RunnerError } from '../../base/errors.ts';
import type { KubernetesPlace, OpenRequest, Sandbox } from '../executor.ts';
import type { Packing } from '../step-protocol/packing.ts';
import { PodSession } from '../step-protocol/pod-session.ts';
import { createNetworkPolicy } from './create-network-policy.ts';
import { KubernetesSandbox } from './kubernetes-sandbox.ts';
import type { JobObject, PodObject } from './objects.ts';
import type { PodMonitor } from './pod-monitor.ts';
import { podPort } from './pod-port.ts';
import type { RunTarget } from './run-target.ts';

export interface Entry {
  readonly target: RunTarget;
  readonly monitor: PodMonitor;
  readonly request: OpenRequest;
  readonly packing: Packing;
  readonly network: 'isolated' | 'none' | undefined;
  /** Whether an earlier process has been in the pod. */
  readonly isUsed: boolean;
}

/** Waits for the pod of the run's Job and resolves when a program has run in it. */
export async function enterPod(entry: Entry, job: JobObject, signal: AbortSignal): Promise<Sandbox> {
  const { target, monitor, request, packing, network, isUsed } = entry;
  const { clock, observer } = target;
  observer.place(placeOf(target, job.metadata.uid, undefined));
  monitor.bind(job);
  const pod = await readyPod(monitor, request, clock, signal);
  const place = placeOf(target, job.metadata.uid, pod);
  observer.place(place);
  const { graceMs, orphanMs } = request.limits;
  const port = podPort(target, monitor, pod.metadata.name, orphanMs, nonce);
  const opening = PodSession.open(
    port,
    { runId: request.run.id, graceMs, packing, isUsed },
    AbortSignal.any([signal, monitor.lost]),
  );
  try {
    await Promise.all([
      opening,
      network && createNetworkPolicy(target, request.run, network, pod, isUsed, signal),
    ]);
  } catch (error) {
    opening.then((session) => session[Symbol.asyncDispose]()).catch(() => {});
    throw error;
  }
  const session = await opening;
  return new KubernetesSandbox({
    target,
    monitor,
    session,
    request,
    place,
    job,
    network: network !== undefined,
  });
}

const nonce = (): string => randomBytes(16).toString('hex');

async function readyPod(
  monitor: PodMonitor,
  { limits }: OpenRequest,
  clock: Clock,
  signal: AbortSignal,
): Promise<PodObject> {
  const timer = new AbortController();
  const late = new AbortController();
  clock.sleep(limits.readyMs, timer.signal).then(
    () => late.abort(),
    () => {},
  );
  try {
    return await monitor.running(AbortSignal.any([signal, late.signal]));
  } catch (error) {
    if (signal.aborted || !late.signal.aborted) throw error;
    throw new RunnerError(
      'ReadyTimeout',
      `the pod did not run within ${Math.round(limits.readyMs / 1000)} s (--ready-timeout); it waited for: ${monitor.lastWord || messageOf(error)}`,
    );
  } finally {
    timer.abort();
  }
}

export function placeOf(target: RunTarget, uid: string | null, pod: PodObject | undefined): KubernetesPlace {
  return {
    kind: 'job',
    namespace: target.namespace,
    name: target.name,
    uid,
    pod: pod?.metadata.name ?? null,
    node: pod?.spec.nodeName ?? null,
  };
}
