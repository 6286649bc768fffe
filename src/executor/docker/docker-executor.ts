import type { Clock } from '../../base/clock.ts';
import type { Engine } from '../../engine/connect-to-engine.ts';
import { isReadableOnTheWay } from '../../engine/engine-address.ts';
import type { Executor, Observer, OpenRequest, Sandbox } from '../executor.ts';
import { objectName } from '../object-name.ts';
import { readyInTime } from '../ready-in-time.ts';
import type { Compression } from '../step-protocol/packing.ts';
import { WordWatch } from '../word-watch.ts';
import { adoptContainer } from './adopt-container.ts';
import { containerConfig } from './container-config.ts';
import { ContainerMonitor } from './container-monitor.ts';
import type { ContainerSettings } from './container-settings.ts';
import { createContainer, nameTaken, readContainer } from './create-container.ts';
import { endAsAsked } from './end-as-asked.ts';
import { enterContainer } from './enter-container.ts';
import { type RegistrySignIn, readyImage } from './image.ts';
import { outlastEngine } from './outlast-engine.ts';
import { removeRun } from './remove-run.ts';
import { labels } from './run-labels.ts';
import { runNetwork } from './run-network.ts';
import type { RunTarget } from './run-target.ts';
import { startContainer } from './start-container.ts';

export interface DockerExecutorOptions {
  readonly engine: Engine;
  readonly container: ContainerSettings;
  readonly compress: Compression;
  readonly signIn: RegistrySignIn;
  readonly clock: Clock;
}

/** Runs each run in a container of its own. Nothing has to be on the engine's machine beforehand. */
export function createDockerExecutor(options: DockerExecutorOptions): Executor {
  return {
    open: (request, observer, signal) => open(options, request, observer, signal),
    adopt: (request, observer, signal) => {
      const target = targetOf(options, request, observer);
      return adoptContainer(
        { target, request, compress: options.compress, isUsed: true, misfit: undefined, user: '' },
        signal,
      );
    },
  };
}

async function open(
  options: DockerExecutorOptions,
  request: OpenRequest,
  observer: Observer,
  signal: AbortSignal,
): Promise<Sandbox> {
  const target = targetOf(options, request, observer);
  const taken = await outlastEngine(target, 'looking for the name', signal, () =>
    readContainer(target, target.name, signal),
  );
  // this run's own is from a process that was killed before it knew
  if (taken && taken.Config.Labels?.[labels.id] !== target.runId) throw nameTaken(target, taken);
  if (isReadableOnTheWay(target.api.address)) {
    observer.warning(
      `${options.engine.url} is spoken to without TLS: steps and their secrets can be read on the way; use DOCKER_TLS_VERIFY and DOCKER_CERT_PATH, or ssh`,
    );
  }
  observer.place({ kind: 'container', name: target.name, id: null }); // from here on something may be there
  const monitors: ContainerMonitor[] = [];
  try {
    const lastWord = (): string => target.words.last || 'the engine';
    const ready = { what: 'the container', ms: request.limits.readyMs, lastWord };
    return await readyInTime(options.clock, ready, signal, (inTime) =>
      make(options, request, target, monitors, inTime),
    );
  } catch (error) {
    for (const monitor of monitors) monitor.expectEnd();
    const closed = await removeRun(target, new AbortController().signal);
    if (closed.leftover) observer.leftover(closed.leftover);
    for (const monitor of monitors) await monitor[Symbol.asyncDispose]();
    throw error;
  }
}

async function make(
  { engine, container: settings, compress, signIn }: DockerExecutorOptions,
  request: OpenRequest,
  target: RunTarget,
  monitors: ContainerMonitor[],
  signal: AbortSignal,
): Promise<Sandbox> {
  const { platform } = engine;
  const { image, run } = request;
  const ready = await readyImage(target, { image, pull: settings.pull, signIn, platform }, signal);
  const { misfit } = ready;
  if (misfit) target.observer.warning(`${misfit}: it runs only where the machine emulates the other`);
  const network = await runNetwork(target, run, settings.network, signal);
  const config = containerConfig(request, settings, network);
  const id = await createContainer(target, config, signal);
  target.observer.place({ kind: 'container', name: target.name, id });
  const monitor = new ContainerMonitor(target, id, (asked) => void endAsAsked(target, asked));
  monitors.push(monitor);
  await startContainer(target, id, misfit, signal);
  const user = config.User ?? ready.user;
  return await enterContainer(
    { target, request, compress, isUsed: false, misfit, user },
    id,
    monitor,
    signal,
  );
}

const targetOf = (
  { engine, clock }: DockerExecutorOptions,
  { run }: OpenRequest,
  observer: Observer,
): RunTarget => ({
  api: engine.api,
  docker: `docker -H ${engine.url}`,
  name: objectName(run.name),
  runId: run.id,
  clock,
  observer,
  words: new WordWatch(clock, observer),
});
