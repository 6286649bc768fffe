import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import type { Clock } from '../../src/base/clock.ts';
import type { Executor, Observer, OpenRequest, Sandbox } from '../../src/executor/executor.ts';
import { createKubernetesExecutor } from '../../src/executor/kubernetes/kubernetes-executor.ts';
import { defaultPodSettings } from '../../src/executor/kubernetes/pod-settings.ts';
import { connectToCluster } from '../../src/kube/connect-to-cluster.ts';
import { withRetries } from '../../src/kube/retries.ts';
import type { Stage } from '../stage.ts';
import type { PodAddress } from './pod-address.ts';

export interface OwnExecutor extends AsyncDisposable {
  readonly executor: Executor;
}

/** This program's executor, put together as the command does for a cluster that is near. */
export async function ownExecutor(kubeconfig: string, namespace: string, clock: Clock): Promise<OwnExecutor> {
  const trace = (): void => {};
  const connection = await connectToCluster({
    environment: process.env,
    homeFolder: homedir(),
    kubeconfig,
    namespace,
    clock,
    trace,
  });
  const api = withRetries(connection, clock, { random: Math.random, trace });
  return {
    executor: createKubernetesExecutor({ api, pod: defaultPodSettings, compress: 'none', clock }),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

export interface OpenSandbox extends AsyncDisposable {
  readonly sandbox: Sandbox;
}

export interface OpenPlace extends OpenSandbox {
  readonly address: PodAddress;
}

/** A run's pod, which every contender can work in. */
export async function openPlace(stage: Stage): Promise<OpenPlace> {
  const opened = await openSandbox(stage);
  const pod = podOf(opened.sandbox.place);
  return {
    ...opened,
    address: { pod, container: 'run' },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** A run's place. */
export async function openSandbox({
  executor,
  image,
  signal,
}: Pick<Stage, 'executor' | 'image' | 'signal'>): Promise<OpenSandbox> {
  const request: OpenRequest = {
    run: { id: randomUUID(), name: `bench ${randomUUID()}`, runner: undefined },
    image,
    secretNames: [],
    limits: { readyMs: 120_000, stepsMs: 1_800_000, orphanMs: 120_000, graceMs: 2_000 },
    keep: false,
  };
  const sandbox = await executor.open(request, silent, signal);
  return {
    sandbox,
    async [Symbol.asyncDispose]() {
      const { leftover } = await sandbox.close(new AbortController().signal);
      if (leftover !== null) throw new Error(leftover);
    },
  };
}

function podOf(place: Sandbox['place']): string {
  if (place.kind !== 'job' || place.pod === null) throw new Error('the run has no pod');
  return place.pod;
}

const silent: Observer = {
  waiting: () => {},
  warning: () => {},
  place: () => {},
  leftover: () => {},
  cancelled: () => 0,
  trace: () => {},
};
