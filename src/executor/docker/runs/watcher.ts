import type { Clock } from '../../../base/clock.ts';
import { withDeadline } from '../../../base/deadline.ts';
import type { RunnerError } from '../../../base/errors.ts';
import type { EngineApi } from '../../../engine/engine-api.ts';
import type { Onlooker, WatchEnd, Watcher } from '../../executor.ts';
import { endWithin, idleMs, namesIn, observerOf, patienceMs } from '../../step-protocol/look-on.ts';
import { watchSteps } from '../../step-protocol/watch-steps.ts';
import { WordWatch } from '../../word-watch.ts';
import { diagnoseEnd } from '../container-end.ts';
import { ContainerMonitor } from '../container-monitor.ts';
import { containerPort } from '../container-port.ts';
import { readContainer } from '../create-container.ts';
import type { ContainerObject } from '../engine-objects.ts';
import { labels } from '../run-labels.ts';
import type { RunTarget } from '../run-target.ts';
import { findRun } from './named-run.ts';
import type { RunContainer } from './run-objects.ts';
import { isBeingMade, nameOf } from './run-summary.ts';

export interface WatcherOptions {
  readonly api: EngineApi;
  /** As messages name the engine. */
  readonly engine: string;
  readonly clock: Clock;
}

const lookMs = 200;
/** How long the engine may take to tell why a container has ended that has. */
const explanationMs = 10_000;

/** Looks on at runs in containers. */
export const createDockerWatcher = (options: WatcherOptions): Watcher => ({
  find: async (name, signal) => {
    const container = await findRun({ ...options, name, signal });
    return {
      secretNames: namesIn(container.Labels[labels.secrets]),
      follow: (onlooker, until) => follow(options, container, onlooker, until),
    };
  },
});

async function follow(
  { api, engine, clock }: WatcherOptions,
  container: RunContainer,
  onlooker: Onlooker,
  signal: AbortSignal,
): Promise<WatchEnd> {
  const observer = observerOf(onlooker);
  const target: RunTarget = {
    ...{ api, clock, observer, docker: `docker -H ${engine}`, name: nameOf(container) },
    runId: container.Labels[labels.id] ?? '',
    words: new WordWatch(clock, observer),
  };
  const found = await started(target, container.Id, signal);
  const end = diagnoseEnd(target.name, found?.State, { signal: undefined, engineWasAway: false });
  if (end) return { message: wordsOf(end), isWhole: false };
  await using monitor = new ContainerMonitor(target, container.Id, ({ by }) =>
    onlooker.warning(`it is being cancelled by ${by}`),
  );
  const port = containerPort(target, { lost: signal }, container.Id, patienceMs);
  const isKept = container.Labels[labels.kept] !== undefined;
  const options = {
    idleMs: isKept ? idleMs : 0,
    leaving: monitor.lost,
    unreachable: (message: string) => target.words.see({ reason: 'Unreachable', message }),
  };
  const isWhole = await watchSteps(port, options, onlooker, signal);
  const why = await endWithin(isKept ? 1_000 : explanationMs, monitor.lost, clock, signal);
  return { message: why ? wordsOf(why) : unexplained(isKept), isWhole };
}

/** The container once it is no longer being made; undefined where it is gone. */
function started(
  { api, clock, words }: RunTarget,
  id: string,
  signal: AbortSignal,
): Promise<ContainerObject | undefined> {
  const deadline = { name: 'the start of the container', ms: patienceMs } as const;
  return withDeadline(clock, deadline, signal, async (within) => {
    for (;;) {
      const found = await readContainer({ api }, id, within);
      if (!found || !isBeingMade({ State: found.State.Status ?? '' })) return found;
      words.see({ reason: 'Created', message: 'its container has not been started yet' });
      await clock.sleep(lookMs, within);
    }
  });
}

const unexplained = (isKept: boolean): string =>
  isKept ? 'no step is running and its runner is gone; its container is kept' : 'its container has ended';

/** That somebody removes the container is how a run ends. */
const wordsOf = ({ code, message }: RunnerError): string =>
  code === 'PodDeleted' ? 'its container was removed, as it is at the end of a run' : message;
