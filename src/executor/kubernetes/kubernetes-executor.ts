import type { Clock } from '../../base/clock.ts';
import { asRunnerError, RunnerError } from '../../base/errors.ts';
import type { KubeApi } from '../../kube/kube-api.ts';
import type { Executor, Observer, OpenRequest, Sandbox } from '../executor.ts';
import { objectName } from '../object-name.ts';
import type { Compression } from '../step-protocol/packing.ts';
import { adoptJob } from './adopt-job.ts';
import { createJob } from './create-job.ts';
import { endAsAsked } from './end-as-asked.ts';
import { type Entry, enterPod, placeOf } from './enter-pod.ts';
import { jobManifest } from './job-manifest.ts';
import { PodMonitor } from './pod-monitor.ts';
import type { PodSettings } from './pod-settings.ts';
import { removeRun } from './remove-run.ts';
import { checkRights } from './rights.ts';
import type { RunTarget } from './run-target.ts';

export interface KubernetesExecutorOptions {
  readonly api: KubeApi;
  readonly pod: PodSettings;
  readonly compress: Compression;
  readonly clock: Clock;
  /** What the cluster at hand does not keep of what a run promises; told with each run. */
  readonly notices?: readonly string[];
}

/** Runs each run in a Job of its own. Nothing has to be in the cluster beforehand. */
export function createKubernetesExecutor(options: KubernetesExecutorOptions): Executor {
  return {
    open: (request, observer, signal) => open(options, request, observer, signal),
    adopt: async (request, observer, signal) => {
      const target = targetOf(options, request, observer);
      tellNotices(options, observer);
      return adoptJob(entryOf(options, request, target, true), signal);
    },
  };
}

async function open(
  options: KubernetesExecutorOptions,
  request: OpenRequest,
  observer: Observer,
  signal: AbortSignal,
): Promise<Sandbox> {
  const { api, pod: settings } = options;
  const target = targetOf(options, request, observer);
  const manifest = jobManifest(request, settings, api.namespace); // before anything is asked: a bad patch is found here
  await checkRights(api, settings.network !== 'open', signal);
  tellNotices(options, observer);
  const entry = entryOf(options, request, target, false);
  const { monitor, network } = entry;
  try {
    observer.place(placeOf(target, null, undefined)); // from here on something may be there, whatever an answer says
    return await enterPod(entry, await createJob(target, manifest, signal), signal);
  } catch (thrown) {
    const error = signal.aborted ? thrown : asRunnerError(thrown);
    if (!(error instanceof RunnerError && error.code === 'AlreadyExists')) {
      const closed = await removeRun(target, monitor, network !== undefined, new AbortController().signal);
      if (closed.leftover) observer.leftover(closed.leftover);
    }
    await monitor[Symbol.asyncDispose]();
    throw error;
  }
}

const targetOf = (
  { api, clock }: KubernetesExecutorOptions,
  { run }: OpenRequest,
  observer: Observer,
): RunTarget => ({
  api,
  namespace: api.namespace,
  name: objectName(run.name),
  runId: run.id,
  clock,
  observer,
});

const entryOf = (
  { pod, compress }: KubernetesExecutorOptions,
  request: OpenRequest,
  target: RunTarget,
  isUsed: boolean,
): Entry => ({
  target,
  monitor: new PodMonitor(target, (asked) => void endAsAsked(target, asked)),
  request,
  compress,
  network: pod.network === 'open' ? undefined : pod.network,
  isUsed,
});

function tellNotices({ notices = [] }: KubernetesExecutorOptions, observer: Observer): void {
  for (const notice of notices) observer.warning(notice);
}
