import { homedir } from 'node:os';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import type { Executor } from '../../src/executor/executor.ts';
import { connectByKubectl } from '../../src/executor/kubernetes/kubectl/kubectl-api.ts';
import { createKubernetesExecutor } from '../../src/executor/kubernetes/kubernetes-executor.ts';
import { defaultPodSettings } from '../../src/executor/kubernetes/pod-settings.ts';
import type { Compression } from '../../src/executor/step-protocol/packing.ts';
import { connectToCluster } from '../../src/kube/connect-to-cluster.ts';
import { withRetries } from '../../src/kube/retries.ts';

export interface ExecutorSettings {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly transport: 'api' | 'kubectl';
  readonly compress: Compression;
  readonly clock?: Clock;
  readonly trace: (message: string) => void;
}

/** The Kubernetes executor, put together as the command does. */
export async function openExecutor(
  settings: ExecutorSettings,
): Promise<{ readonly executor: Executor } & AsyncDisposable> {
  const { kubeconfig, namespace, compress, trace, clock = systemClock() } = settings;
  const common = { environment: process.env, kubeconfig, context: undefined, namespace, clock, trace };
  const connection =
    settings.transport === 'api'
      ? await connectToCluster({ ...common, homeFolder: homedir() })
      : await connectByKubectl({ ...common, program: 'kubectl' });
  const api = withRetries(connection, clock, { random: Math.random, trace });
  return {
    executor: createKubernetesExecutor({ api, pod: defaultPodSettings, compress, clock }),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}
