import { z } from 'zod';

/** What the executor reads of the cluster's objects; all else is let through unseen. */

const metadata = z.object({
  name: z.string(),
  uid: z.string(),
  resourceVersion: z.string().optional(),
  creationTimestamp: z.string().optional(),
  deletionTimestamp: z.string().optional(),
  annotations: z.record(z.string(), z.string()).optional(),
  labels: z.record(z.string(), z.string()).optional(),
  ownerReferences: z.array(z.object({ uid: z.string(), kind: z.string() })).optional(),
});

const condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().optional(),
  message: z.string().optional(),
  lastTransitionTime: z.string().nullish(),
});

const reasoned = z.object({ reason: z.string().optional(), message: z.string().optional() });
const terminated = reasoned.extend({ exitCode: z.number(), signal: z.number().optional() });

const containerStatus = z.object({
  name: z.string(),
  restartCount: z.number().optional(),
  state: z
    .object({
      waiting: reasoned.optional(),
      running: z.object({ startedAt: z.string().nullish() }).optional(),
      terminated: terminated.optional(),
    })
    .optional(),
});

export const podSchema = z.object({
  metadata,
  spec: z.object({ nodeName: z.string().optional() }),
  status: reasoned
    .extend({
      phase: z.string().optional(),
      conditions: z.array(condition).optional(),
      containerStatuses: z.array(containerStatus).optional(),
      initContainerStatuses: z.array(containerStatus).optional(),
    })
    .optional(),
});
export type PodObject = z.infer<typeof podSchema>;

export const jobSchema = z.object({
  metadata,
  spec: z.object({ ttlSecondsAfterFinished: z.number().optional() }).optional(),
  status: z.object({ conditions: z.array(condition).optional() }).optional(),
});
export type JobObject = z.infer<typeof jobSchema>;

export const eventSchema = z.object({
  metadata,
  involvedObject: z.object({
    kind: z.string().optional(),
    name: z.string().optional(),
    uid: z.string().optional(),
    fieldPath: z.string().optional(),
  }),
  type: z.string().optional(),
  reason: z.string().optional(),
  message: z.string().optional(),
  count: z.number().nullish(),
  lastTimestamp: z.string().nullish(),
  eventTime: z.string().nullish(),
});
export type EventObject = z.infer<typeof eventSchema>;

export const listOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item).nullable() });

export const networkPolicySchema = z.object({ metadata });
export type NetworkPolicyObject = z.infer<typeof networkPolicySchema>;

/** For answers of which nothing is needed. */
export const anything = z.unknown();
