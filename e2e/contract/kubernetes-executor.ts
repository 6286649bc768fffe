import { homedir } from 'node:os';
import type { Container } from 'kubernetes-types/core/v1.js';
import { z } from 'zod';
import { systemClock } from '../../src/base/clock.ts';
import type { Executor, Observer } from '../../src/executor/executor.ts';
import { connectByKubectl } from '../../src/executor/kubernetes/kubectl/kubectl-api.ts';
import { createKubernetesExecutor } from '../../src/executor/kubernetes/kubernetes-executor.ts';
import { defaultPodSettings, type PodSettings } from '../../src/executor/kubernetes/pod-settings.ts';
import { connectToCluster } from '../../src/kube/connect-to-cluster.ts';
import type { ApiCall, KubeApi } from '../../src/kube/kube-api.ts';
import type { PlaceSettings } from './cluster.ts';

const pullPolicies = { always: 'Always', missing: 'IfNotPresent', never: 'Never' } as const;

/** The product's executor, put together as the command does. */
export function kubernetesExecutor(
  settings: PlaceSettings & { readonly kubeconfig: string; readonly namespace: string },
): Executor {
  const { kubeconfig, namespace, transport } = settings;
  const clock = systemClock();
  const connected = async (observer: Observer): Promise<Executor> => {
    const common = { environment: process.env, kubeconfig, namespace, clock };
    const trace = (message: string): void => observer.trace(message);
    const api =
      transport === 'api'
        ? await connectToCluster({ ...common, homeFolder: homedir(), trace })
        : await connectByKubectl({ ...common, program: 'kubectl', context: undefined, trace });
    const pod: PodSettings = {
      ...defaultPodSettings,
      pullPolicy: settings.pull && pullPolicies[settings.pull],
      nodeSelector: settings.nodeSelector ?? {},
      memory: settings.memory,
      cpu: settings.cpu,
      user: settings.user,
      patch: settings.patch,
      profile: settings.profile ?? defaultPodSettings.profile,
    };
    return createKubernetesExecutor({
      api: withInjected(api, settings.injected),
      pod,
      compress: 'none',
      clock,
    });
  };
  return {
    open: async (request, observer, signal) => (await connected(observer)).open(request, observer, signal),
    adopt: async (request, observer, signal) => (await connected(observer)).adopt(request, observer, signal),
  };
}

/** As a webhook of the cluster would: the container comes first in the pod of every Job that is made. */
function withInjected(api: KubeApi, container: Container | undefined): KubeApi {
  if (!container) return api;
  return {
    server: api.server,
    namespace: api.namespace,
    request: (call, schema) => api.request(mutated(call, container), schema),
    watch: (call) => api.watch(call),
    exec: (call) => api.exec(call),
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

const jobSchema = z.looseObject({
  spec: z.looseObject({
    template: z.looseObject({ spec: z.looseObject({ containers: z.array(z.unknown()) }) }),
  }),
});

function mutated(call: ApiCall, container: Container): ApiCall {
  if (call.method !== 'POST' || !call.path.endsWith('/jobs')) return call;
  const job = jobSchema.parse(call.body);
  job.spec.template.spec.containers.unshift(container);
  return { ...call, body: job };
}
