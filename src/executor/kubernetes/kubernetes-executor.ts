import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { asRunnerError, messageOf, RunnerError } from '../../base/errors.ts';
import type { KubeApi } from '../../kube/kube-api.ts';
import type { Executor, KubernetesPlace, Observer, OpenRequest, Sandbox } from '../executor.ts';
import type { Packing } from '../step-protocol/packing.ts';
import { PodSession } from '../step-protocol/pod-session.ts';
import { createJob } from './create-job.ts';
import { createNetworkPolicy } from './create-network-policy.ts';
import { jobManifest } from './job-manifest.ts';
import { KubernetesSandbox } from './kubernetes-sandbox.ts';
import { objectName } from './object-names.ts';
import type { PodObject } from './objects.ts';
import { PodMonitor } from './pod-monitor.ts';
import { podPort } from './pod-port.ts';
import type { PodSettings } from './pod-settings.ts';
import { removeRun } from './remove-run.ts';
import { checkRights } from './rights.ts';
import type { RunTarget } from './run-target.ts';

export interface KubernetesExecutorOptions {
  readonly api: KubeApi;
  readonly pod: PodSettings;
  readonly packing: Packing;
  readonly clock: Clock;
  /** What the cluster at hand does not keep of what a run promises; told with each run. */
  readonly notices?: readonly string[];
}

/** Runs each run in a Job of its own. Nothing has to be in the cluster beforehand. */
export function createKubernetesExecutor(options: KubernetesExecutorOptions): Executor {
  return { open: (request, observer, signal) => open(options, request, observer, signal) };
}

async function open(
  options: KubernetesExecutorOptions,
  request: OpenRequest,
  observer: Observer,
  signal: AbortSignal,
): Promise<Sandbox> {
  const { api, pod: settings, clock } = options;
  const { namespace } = api;
  const target: RunTarget = {
    api,
    namespace,
    name: objectName(request.run.name),
    runId: request.run.id,
    clock,
    observer,
  };
  const network = settings.network === 'open' ? undefined : settings.network;
  const manifest = jobManifest(request, settings, namespace); // before anything is asked: a bad patch is found here
  await checkRights(api, network !== undefined, signal);
  for (const notice of options.notices ?? []) observer.warning(notice);
  const monitor = new PodMonitor(target);
  let jobMade = false;
  try {
    observer.place(placeOf(target, null, undefined));
    jobMade = true; // from here on something may be there, whatever the answer says
    const job = await createJob(target, manifest, signal);
    observer.place(placeOf(target, job.metadata.uid, undefined));
    monitor.bind(job);
    const pod = await readyPod(monitor, request, clock, signal);
    const place = placeOf(target, job.metadata.uid, pod);
    observer.place(place);
    const port = podPort(target, monitor, pod.metadata.name, request.limits.orphanMs, nonce);
    const { packing } = options;
    const [session] = await Promise.all([
      PodSession.open(
        port,
        { runId: request.run.id, graceMs: request.limits.graceMs, packing },
        AbortSignal.any([signal, monitor.lost]),
      ),
      network && createNetworkPolicy(target, request.run, network, pod, signal),
    ]);
    return new KubernetesSandbox(target, monitor, session, request, place, network !== undefined);
  } catch (thrown) {
    const error = signal.aborted ? thrown : asRunnerError(thrown);
    if (jobMade && !(error instanceof RunnerError && error.code === 'AlreadyExists')) {
      const closed = await removeRun(target, monitor, network !== undefined, new AbortController().signal);
      if (closed.leftover) observer.leftover(closed.leftover);
    }
    await monitor[Symbol.asyncDispose]();
    throw error;
  }
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

function placeOf(target: RunTarget, uid: string | null, pod: PodObject | undefined): KubernetesPlace {
  return {
    kind: 'job',
    namespace: target.namespace,
    name: target.name,
    uid,
    pod: pod?.metadata.name ?? null,
    node: pod?.spec.nodeName ?? null,
  };
}
