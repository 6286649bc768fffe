import { z } from 'zod';
import type { KubeObject, ObjectMeta } from './object.ts';
import { sentMetaSchema } from './object.ts';
import { conditionSchema, podSpecSchema } from './pod.ts';

export const jobSpecSchema = z.looseObject({
  parallelism: z.number().int().default(1),
  completions: z.number().int().optional(),
  backoffLimit: z.number().int().default(6),
  activeDeadlineSeconds: z.number().int().optional(),
  ttlSecondsAfterFinished: z.number().int().optional(),
  suspend: z.boolean().default(false),
  podReplacementPolicy: z.enum(['Failed', 'TerminatingOrFailed']).default('TerminatingOrFailed'),
  template: z.looseObject({ metadata: sentMetaSchema.optional(), spec: podSpecSchema }),
});

const jobStatusSchema = z.looseObject({
  startTime: z.string().optional(),
  completionTime: z.string().optional(),
  active: z.number().optional(),
  ready: z.number().optional(),
  succeeded: z.number().optional(),
  failed: z.number().optional(),
  terminating: z.number().optional(),
  uncountedTerminatedPods: z
    .object({ succeeded: z.array(z.string()).optional(), failed: z.array(z.string()).optional() })
    .optional(),
  conditions: z.array(conditionSchema).optional(),
});

type JobSpec = z.infer<typeof jobSpecSchema>;
export type JobStatus = z.infer<typeof jobStatusSchema>;

export interface Job {
  readonly metadata: ObjectMeta;
  readonly spec: JobSpec;
  readonly status: JobStatus;
}

/** A stored object read as a Job. */
export const jobOf = (object: KubeObject): Job => ({
  metadata: object.metadata,
  spec: jobSpecSchema.parse(object.spec),
  status: jobStatusSchema.parse(object.status ?? {}),
});

export const hasCondition = (status: JobStatus, type: string): boolean =>
  status.conditions?.some((one) => one.type === type && one.status === 'True') ?? false;

export const isFinished = (status: JobStatus): boolean =>
  hasCondition(status, 'Complete') || hasCondition(status, 'Failed');
