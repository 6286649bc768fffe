import type { ObjectMeta, SentObject } from '../store/object.ts';
import type { PodSpec } from '../store/pod.ts';

const pullPolicy = (image: string): string =>
  /:latest$/.test(image) || !/[:@]/.test(image.slice(image.lastIndexOf('/') + 1)) ? 'Always' : 'IfNotPresent';

/** A pod template's spec with the defaults that the API writes into it. */
export const podSpecDefaults = (spec: PodSpec): PodSpec => ({
  ...spec,
  containers: spec.containers.map((container) => ({
    ...container,
    resources: container.resources ?? {},
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: container.imagePullPolicy ?? pullPolicy(container.image),
  })),
  ...(spec.volumes && {
    volumes: spec.volumes.map((volume) => ({ ...volume, ...(volume.emptyDir === null && { emptyDir: {} }) })),
  }),
  restartPolicy: spec.restartPolicy ?? 'Always',
  terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds ?? 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: spec.securityContext ?? {},
  schedulerName: 'default-scheduler',
});

const tolerations = ['not-ready', 'unreachable'].map((key) => ({
  key: `node.kubernetes.io/${key}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}));

/** What admission adds to a pod itself, beyond its template's defaults. */
export function podDefaults(spec: PodSpec): PodSpec {
  const own = Array.isArray(spec.tolerations) ? spec.tolerations : [];
  return {
    serviceAccountName: 'default',
    serviceAccount: 'default',
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
    ...podSpecDefaults(spec),
    tolerations: [...own, ...tolerations],
  };
}

/** The labels by which a Job knows its pods. */
export const jobLabels = (job: ObjectMeta): Record<string, string> => ({
  'batch.kubernetes.io/controller-uid': job.uid,
  'batch.kubernetes.io/job-name': job.name,
  'controller-uid': job.uid,
  'job-name': job.name,
});

/** A template's metadata with a Job's labels. */
export const templateMeta = (sent: SentObject['metadata'] | undefined, job: ObjectMeta): object => ({
  ...sent,
  labels: { ...sent?.labels, ...jobLabels(job) },
});

/** How the kubelet would rank the pod under pressure. */
export function qosClass(spec: PodSpec): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const asked = spec.containers.map(({ resources }) => ({
    requests: resources?.requests ?? {},
    limits: resources?.limits ?? {},
  }));
  if (asked.every(({ requests, limits }) => Object.keys({ ...requests, ...limits }).length === 0))
    return 'BestEffort';
  const guaranteed = asked.every(({ requests, limits }) =>
    ['cpu', 'memory'].every(
      (name) => limits[name] !== undefined && (requests[name] ?? limits[name]) === limits[name],
    ),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}
