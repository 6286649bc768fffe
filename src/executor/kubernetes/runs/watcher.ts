import type { Clock } from '../../../base/clock.ts';
import { RunnerError } from '../../../base/errors.ts';
import type { KubeApi } from '../../../kube/kube-api.ts';
import type { Onlooker, WatchEnd, Watcher } from '../../executor.ts';
import { endWithin, idleMs, namesIn, observerOf, patienceMs } from '../../step-protocol/look-on.ts';
import { watchSteps } from '../../step-protocol/watch-steps.ts';
import { WordWatch } from '../../word-watch.ts';
import { containerName } from '../job-manifest.ts';
import { annotations, labels } from '../object-names.ts';
import type { JobObject, PodObject } from '../objects.ts';
import { PodMonitor } from '../pod-monitor.ts';
import { podPort } from '../pod-port.ts';
import type { RunTarget } from '../run-target.ts';
import { findRun } from './named-run.ts';

export interface WatcherOptions {
  readonly api: KubeApi;
  readonly clock: Clock;
}

/** How long the cluster may take to tell why a pod has ended that has. */
const explanationMs = 10_000;

/** Looks on at runs in Jobs, with the rights to read Jobs, pods and events, and to exec. */
export const createKubernetesWatcher = (options: WatcherOptions): Watcher => ({
  find: async (name, signal) => {
    const job = await findRun(options.api, name, signal);
    return {
      secretNames: namesIn(job.metadata.annotations?.[annotations.secrets]),
      follow: (onlooker, until) => follow(options, job, onlooker, until),
    };
  },
});

async function follow(
  { api, clock }: WatcherOptions,
  job: JobObject,
  onlooker: Onlooker,
  signal: AbortSignal,
): Promise<WatchEnd> {
  const target: RunTarget = {
    ...{ api, clock, namespace: api.namespace, name: job.metadata.name },
    runId: job.metadata.labels?.[labels.run] ?? '',
    observer: observerOf(onlooker),
  };
  await using monitor = new PodMonitor(target, ({ by }) =>
    onlooker.warning(`it is being cancelled by ${by}`),
  );
  monitor.bind(job);
  let pod: PodObject;
  try {
    pod = await monitor.running(signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof RunnerError)) throw error;
    return { message: wordsOf(error), isWhole: !hasRun(monitor.pod) };
  }
  const untilSignal = { lost: signal };
  const port = podPort(target, untilSignal, pod.metadata.name, patienceMs);
  const isKept = job.spec?.ttlSecondsAfterFinished === undefined;
  const words = new WordWatch(clock, target.observer);
  const options = {
    idleMs: isKept ? idleMs : 0,
    leaving: monitor.lost,
    unreachable: (message: string) => words.see({ reason: 'Unreachable', message }),
  };
  const isWhole = await watchSteps(port, options, onlooker, signal);
  return { message: await whyOver(monitor, isKept, clock, signal), isWhole };
}

/** Whether steps may have run in it. */
const hasRun = (pod: PodObject | undefined): boolean => {
  const status = pod?.status?.containerStatuses?.find(({ name }) => name === containerName);
  return status?.state !== undefined && status.state.waiting === undefined;
};

async function whyOver(
  { lost }: PodMonitor,
  isKept: boolean,
  clock: Clock,
  signal: AbortSignal,
): Promise<string> {
  const end = await endWithin(isKept ? 1_000 : explanationMs, lost, clock, signal);
  if (end) return wordsOf(end);
  return isKept ? 'no step is running and its runner is gone; its Job is kept' : 'its pod has ended';
}

/** That somebody deletes the Job is how a run ends. */
const wordsOf = ({ code, message }: RunnerError): string =>
  code === 'PodDeleted' ? 'its Job was deleted, as it is at the end of a run' : message;
