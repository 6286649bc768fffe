import { readFile } from 'node:fs/promises';
import type { V1Pod } from '@kubernetes/client-node';
import type { KubernetesPlace, Place } from '../../src/executor/executor.ts';
import { startRelay } from '../relay/relay.ts';
import type { Cluster, PlaceSettings } from './cluster.ts';
import { eventually } from './eventually.ts';
import { type Abilities, able, type SeenEnd, type Transport, type Venue } from './venue.ts';

/** A cluster by one of the roads to it. */
export function clusterVenue(cluster: Cluster, transport: Transport): Venue {
  const { kubeconfig, namespace, view } = cluster;

  async function end(place: Place): Promise<SeenEnd | undefined> {
    const { name, pod } = jobOf(place);
    const [job, seen] = await Promise.all([
      view.job(namespace, name),
      pod === null ? null : view.pod(namespace, pod),
    ]);
    const types = job?.status?.conditions?.map(({ type }) => type) ?? [];
    const terminated = seen?.status?.containerStatuses?.[0]?.state?.terminated;
    if (job && !job.status?.failed && !types.includes('Failed') && !types.includes('Complete'))
      return undefined;
    return {
      isFailure: (job?.status?.succeeded ?? 0) === 0 && !types.includes('Complete'),
      exitCode: terminated?.exitCode ?? null,
    };
  }

  return {
    name: `${cluster.name}, ${transport}`,
    usable: transport === 'kubectl' ? cluster.can.kubectl : able,
    can: abilitiesOf(cluster),
    arguments: ['--kubeconfig', kubeconfig, '--namespace', namespace, '--transport', transport],
    environment: {
      KUBECONFIG: kubeconfig,
      KNOTLESS_K8S_NAMESPACE: namespace,
      KNOTLESS_K8S_TRANSPORT: transport,
    },
    address: { kind: 'kubernetes', kubeconfig, namespace, transport },
    executor: (settings) => cluster.executor({ transport, ...settings }),
    async openRoad(folder) {
      const relay = await startRelay({ kubeconfig, folder });
      return {
        faults: relay,
        arguments: ['--kubeconfig', relay.kubeconfig, '--namespace', namespace, '--transport', transport],
        [Symbol.asyncDispose]: async () => await relay[Symbol.asyncDispose](),
      };
    },
    obstacles,
    async remains(name) {
      const { jobs, pods, policies } = await view.objectsOf(namespace, name);
      return [
        ...jobs.map(({ metadata }) => `Job ${metadata?.name}`),
        ...pods.map(({ metadata }) => `pod ${metadata?.name}`),
        ...policies.map(({ metadata }) => `NetworkPolicy ${metadata?.name}`),
      ];
    },
    async isEnding(place) {
      const { pod } = jobOf(place);
      return pod !== null && isEnding(await view.pod(namespace, pod));
    },
    end,
    async takeAway(place) {
      await view.core.deleteNamespacedPod({ namespace, name: jobOf(place).pod ?? '' });
    },
    async discard({ name }) {
      await view.batch.deleteNamespacedJob({ namespace, name, propagationPolicy: 'Foreground' });
    },
    async collect(place) {
      const { name } = jobOf(place);
      const job = await view.job(namespace, name);
      if (job?.spec?.ttlSecondsAfterFinished !== 300) throw new Error(`the Job ${name} would stay`);
      await view.changeJob(namespace, name, { ttlSecondsAfterFinished: 1 });
    },
  };
}

const never = 600_000;

const obstacles: Venue['obstacles'] = {
  'before the place is made': { do: 'delay', kind: 'other', match: '/version', ms: never, times: 1 },
  'when the place was made, before it was answered': { do: 'delay', kind: 'create-job', ms: never, times: 1 },
  'in the upload': {
    do: 'stall',
    kind: 'exec',
    match: 'bin%2Freceive',
    at: { bytesUp: 1_000_000 },
    times: 1,
  },
  'in the download': { do: 'stall', kind: 'exec', match: 'bin%2Fsend', at: { bytesDown: 100_000 }, times: 1 },
  'in the cleanup': { do: 'delay', kind: 'delete-job', ms: never, times: 1 },
};

export function jobOf(place: Place): KubernetesPlace {
  if (place.kind !== 'job') throw new Error('the place is no Job');
  return place;
}

function isEnding(pod: V1Pod | null): boolean {
  return (
    pod === null ||
    pod.metadata?.deletionTimestamp !== undefined ||
    pod.status?.phase === 'Failed' ||
    (pod.status?.containerStatuses ?? []).some(({ state }) => state?.terminated !== undefined)
  );
}

function abilitiesOf({ can }: Cluster): Abilities {
  // with the cpu limited as well, only process 1 is one that the kernel takes before the hog
  const cpu = { limits: { cpu: '500m' }, requests: { cpu: '500m' } };
  const small: Omit<PlaceSettings, 'transport'> = {
    memory: '64Mi',
    patch: { containers: [{ name: 'run', resources: cpu }] },
  };
  return {
    image: can.image,
    git: can.git,
    pulls: can.pulls,
    memoryLimit: 'able' in can.limits ? { able: small } : can.limits,
    endByMemory: able,
    record: 'able' in can.auditLog ? { able: recordIn(can.auditLog.able) } : can.auditLog,
    waiting: { able: { arguments: ['--node-selector', 'example.com/no-such=node'], word: 'Unschedulable' } },
  };
}

const recordIn =
  (auditLog: string) =>
  ({ name }: Place): Promise<string> =>
    eventually('the deletion is in the audit log', async () => {
      const text = await readFile(auditLog, 'utf8');
      const lines = text.split('\n').filter((line) => line.includes(name));
      return lines.some((line) => line.includes('"verb":"delete"')) ? text : undefined;
    });
