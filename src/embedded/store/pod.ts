import { z } from 'zod';
import type { KubeObject, ObjectMeta } from './object.ts';

const quantities = z.record(z.string(), z.union([z.string(), z.number()]));

const containerSecuritySchema = z.looseObject({
  runAsUser: z.number().int().optional(),
  runAsGroup: z.number().int().optional(),
  runAsNonRoot: z.boolean().optional(),
  privileged: z.boolean().optional(),
  allowPrivilegeEscalation: z.boolean().optional(),
  readOnlyRootFilesystem: z.boolean().optional(),
  capabilities: z
    .looseObject({ add: z.array(z.string()).optional(), drop: z.array(z.string()).optional() })
    .optional(),
  seccompProfile: z.looseObject({ type: z.string() }).optional(),
});

const containerSchema = z.looseObject({
  name: z.string().default(''),
  image: z.string().default(''),
  command: z.array(z.string()).optional(),
  args: z.array(z.string()).optional(),
  workingDir: z.string().optional(),
  env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })).optional(),
  volumeMounts: z
    .array(z.looseObject({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().optional() }))
    .optional(),
  resources: z.looseObject({ requests: quantities.optional(), limits: quantities.optional() }).optional(),
  securityContext: containerSecuritySchema.optional(),
  imagePullPolicy: z.string().optional(),
});

const volumeSchema = z.looseObject({
  name: z.string(),
  emptyDir: z
    .looseObject({ medium: z.string().optional(), sizeLimit: z.union([z.string(), z.number()]).optional() })
    .nullish(),
});

export const podSpecSchema = z.looseObject({
  containers: z.array(containerSchema).default([]),
  initContainers: z.array(containerSchema).optional(),
  volumes: z.array(volumeSchema).optional(),
  restartPolicy: z.string().optional(),
  terminationGracePeriodSeconds: z.number().int().optional(),
  nodeSelector: z.record(z.string(), z.string()).optional(),
  nodeName: z.string().optional(),
  hostNetwork: z.boolean().optional(),
  hostPID: z.boolean().optional(),
  hostIPC: z.boolean().optional(),
  securityContext: z
    .looseObject({
      runAsUser: z.number().int().optional(),
      runAsGroup: z.number().int().optional(),
      runAsNonRoot: z.boolean().optional(),
      seccompProfile: z.looseObject({ type: z.string() }).optional(),
    })
    .optional(),
});

export const conditionSchema = z.looseObject({
  type: z.string(),
  status: z.string(),
  reason: z.string().optional(),
  message: z.string().optional(),
  lastTransitionTime: z.string().optional(),
});

const stateSchema = z.looseObject({
  waiting: z.looseObject({ reason: z.string().optional(), message: z.string().optional() }).optional(),
  running: z.looseObject({ startedAt: z.string() }).optional(),
  terminated: z
    .looseObject({ exitCode: z.number(), reason: z.string().optional(), signal: z.number().optional() })
    .optional(),
});

const podStatusSchema = z.looseObject({
  phase: z.enum(['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']).default('Pending'),
  reason: z.string().optional(),
  message: z.string().optional(),
  podIP: z.string().optional(),
  conditions: z.array(conditionSchema).optional(),
  containerStatuses: z
    .array(
      z.looseObject({
        name: z.string(),
        ready: z.boolean(),
        restartCount: z.number(),
        state: stateSchema.default({}),
      }),
    )
    .optional(),
});

export type Container = z.infer<typeof containerSchema>;
export type PodSpec = z.infer<typeof podSpecSchema>;
type PodStatus = z.infer<typeof podStatusSchema>;
export type Condition = z.infer<typeof conditionSchema>;
export type PodVolume = z.infer<typeof volumeSchema>;

export interface Pod {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
  readonly status: PodStatus;
}

/** A stored object read as a pod. */
export const podOf = (object: KubeObject): Pod => ({
  metadata: object.metadata,
  spec: podSpecSchema.parse(object.spec),
  status: podStatusSchema.parse(object.status ?? {}),
});

export const isTerminal = (pod: Pod): boolean =>
  pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed';

export const isReady = (pod: Pod): boolean =>
  pod.status.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false;
