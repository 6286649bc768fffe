import type { Job } from 'kubernetes-types/batch/v1.js';
import type { Container, PodSpec, Volume, VolumeMount } from 'kubernetes-types/core/v1.js';
import type { OpenRequest, RunIdentity } from '../executor.ts';
import { objectName } from '../object-name.ts';
import { bootCommand } from '../step-protocol/programs.ts';
import { annotations, labelDigestOf, labels, managedBy } from './object-names.ts';
import { patchPodSpec } from './pod-patch.ts';
import type { PodSettings } from './pod-settings.ts';

export const containerName = 'run';

/** For upload, download and what else is no step: the cluster ends the Job only after everyone else has given up. */
const marginSeconds = 600;
/** How long a finished Job is left to be looked at, when no runner is there to delete it. */
const ttlSeconds = 300;
/** Process 1 ends at once on TERM; this is for a node that is slow. */
const terminationSeconds = 5;
/** Of the `restricted` profile: nobody's, and the same that distroless images use less one. */
const restrictedUid = 65532;

/** The one object that a run is. Pure: the same request gives the same Job. */
export function jobManifest(request: OpenRequest, pod: PodSettings, namespace: string): Job {
  const metadata = { labels: runLabels(request.run), annotations: runAnnotations(request) };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: objectName(request.run.name), namespace, ...metadata },
    spec: {
      backoffLimit: 0,
      podReplacementPolicy: 'Failed',
      activeDeadlineSeconds: activeDeadlineSeconds(request),
      ...(request.keep ? {} : { ttlSecondsAfterFinished: ttlSeconds }),
      template: {
        metadata: {
          labels: metadata.labels,
          annotations: {
            ...metadata.annotations,
            'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
            'karpenter.sh/do-not-disrupt': 'true',
          },
        },
        spec: patchPodSpec(podSpec(request, pod), pod.patch),
      },
    },
  };
}

/** The deadline counts from the Job's start, so the wait for a node is in it. */
export const activeDeadlineSeconds = ({ limits }: OpenRequest): number =>
  Math.ceil((limits.readyMs + limits.stepsMs + limits.orphanMs) / 1000) + marginSeconds;

export function runLabels(run: RunIdentity): Record<string, string> {
  return {
    [labels.managedBy]: managedBy,
    [labels.run]: run.id,
    [labels.name]: labelDigestOf(run.name),
    ...(run.runner === undefined ? {} : { [labels.runner]: labelDigestOf(run.runner) }),
  };
}

function runAnnotations({ run, secretNames }: OpenRequest): Record<string, string> {
  return {
    [annotations.name]: run.name,
    [annotations.id]: run.id,
    ...(run.runner === undefined ? {} : { [annotations.runner]: run.runner }),
    ...(secretNames.length === 0 ? {} : { [annotations.secrets]: [...secretNames].sort().join(',') }),
  };
}

function podSpec(request: OpenRequest, pod: PodSettings): PodSpec {
  return {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: terminationSeconds,
    securityContext: podSecurity(pod),
    ...(Object.keys(pod.nodeSelector).length > 0 ? { nodeSelector: { ...pod.nodeSelector } } : {}),
    ...(pod.tolerations.length > 0 ? { tolerations: [...pod.tolerations] } : {}),
    ...(pod.imagePullSecrets.length > 0
      ? { imagePullSecrets: pod.imagePullSecrets.map((name) => ({ name })) }
      : {}),
    ...(pod.serviceAccount === undefined ? {} : { serviceAccountName: pod.serviceAccount }),
    containers: [runContainer(request, pod)],
    volumes: volumes(),
  };
}

function runContainer(request: OpenRequest, pod: PodSettings): Container {
  return {
    name: containerName,
    image: request.image,
    ...(pod.pullPolicy === undefined ? {} : { imagePullPolicy: pod.pullPolicy }),
    command: bootCommand(request.keep ? 0 : request.limits.orphanMs).map(withoutExpansion),
    workingDir: '/work',
    resources: {
      requests: { ...(pod.cpu ? { cpu: pod.cpu } : {}), ...(pod.memory ? { memory: pod.memory } : {}) },
      limits: pod.memory ? { memory: pod.memory } : {},
    },
    securityContext: {
      allowPrivilegeEscalation: false,
      ...(pod.profile === 'restricted' ? { capabilities: { drop: ['ALL'] } } : {}),
    },
    volumeMounts: mounts.map(({ name, mountPath }) => ({ name, mountPath })),
  };
}

/** Kubernetes expands `$(NAME)` in a command and makes `$$` of it `$`: doubled, every dollar stays one. */
const withoutExpansion = (text: string): string => text.replaceAll('$', '$$$$');

function podSecurity({ profile, user }: PodSettings): PodSpec['securityContext'] & object {
  const uid = user?.uid ?? (profile === 'restricted' ? restrictedUid : undefined);
  return {
    seccompProfile: { type: 'RuntimeDefault' },
    ...(uid === undefined ? {} : { runAsUser: uid }),
    ...(user?.gid === undefined ? {} : { runAsGroup: user.gid }),
    ...(profile === 'restricted' ? { runAsNonRoot: true } : {}),
  };
}

/** An emptyDir can be written by any uid. The log has one of its own, so that no `rm -rf /tmp/*` takes it along. */
export const mounts: readonly (VolumeMount & { readonly memory: boolean })[] = [
  { name: 'knotless-work', mountPath: '/work', memory: false },
  { name: 'knotless-steps', mountPath: '/steps', memory: false },
  { name: 'knotless-outputs', mountPath: '/outputs', memory: false },
  { name: 'knotless-tmp', mountPath: '/tmp', memory: false },
  { name: 'knotless-log', mountPath: '/.knotless-log', memory: false },
  { name: 'knotless-state', mountPath: '/.knotless', memory: true },
];

/** For scripts, environments and exit codes; a step's log is not in it. */
const stateSize = '64Mi';

const volumes = (): Volume[] =>
  mounts.map(({ name, memory }) => ({
    name,
    emptyDir: memory ? { medium: 'Memory', sizeLimit: stateSize } : {},
  }));
