import type { KubernetesPlace, OpenRequest, Sandbox } from '../executor.ts';
import { readyInTime } from '../ready-in-time.ts';
import type { Compression } from '../step-protocol/packing.ts';
import { PodSession } from '../step-protocol/pod-session.ts';
import { WordWatch } from '../word-watch.ts';
import { createNetworkPolicy } from './create-network-policy.ts';
import { isNear } from './is-near.ts';
import { KubernetesSandbox } from './kubernetes-sandbox.ts';
import type { JobObject, PodObject } from './objects.ts';
import type { PodMonitor } from './pod-monitor.ts';
import { podPort } from './pod-port.ts';
import type { RunTarget } from './run-target.ts';

export interface Entry {
  readonly target: RunTarget;
  readonly monitor: PodMonitor;
  readonly request: OpenRequest;
  readonly compress: Compression;
  readonly network: 'isolated' | 'none' | undefined;
  /** Whether an earlier process has been in the pod. */
  readonly isUsed: boolean;
}

/** Waits for the pod of the run's Job and resolves when a program has run in it, all within the ready timeout. */
export async function enterPod(entry: Entry, job: JobObject, signal: AbortSignal): Promise<Sandbox> {
  const { target, monitor, request } = entry;
  target.observer.place(placeOf(target, job.metadata.uid, undefined));
  monitor.bind(job);
  const words = new WordWatch(target.clock, target.observer);
  const lastWord = (): string => words.last || monitor.lastWord || 'the cluster';
  const ready = { what: 'the pod', ms: request.limits.readyMs, lastWord };
  return readyInTime(target.clock, ready, signal, async (inTime) => {
    const pod = await monitor.running(inTime);
    const sandbox = await enter(entry, job, pod, words, inTime);
    words.see(undefined);
    return sandbox;
  });
}

async function enter(
  { target, monitor, request, compress, network, isUsed }: Entry,
  job: JobObject,
  pod: PodObject,
  words: WordWatch,
  signal: AbortSignal,
): Promise<Sandbox> {
  const place = placeOf(target, job.metadata.uid, pod);
  target.observer.place(place);
  const { graceMs, orphanMs } = request.limits;
  const port = podPort(target, monitor, pod.metadata.name, orphanMs);
  const opening = PodSession.open(
    port,
    {
      runId: request.run.id,
      graceMs,
      compress,
      isNear: isNear(target.api.server),
      isUsed,
      unreachable: (message) => words.see({ reason: 'Unreachable', message }),
    },
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
