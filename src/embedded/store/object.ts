import { z } from 'zod';

const text = z.record(z.string(), z.string());

const ownerReferenceSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  name: z.string(),
  uid: z.string(),
  controller: z.boolean().optional(),
  blockOwnerDeletion: z.boolean().optional(),
});

/** The metadata that a client may send; what the server alone sets is in `ObjectMeta`. */
export const sentMetaSchema = z.looseObject({
  name: z.string().optional(),
  generateName: z.string().optional(),
  namespace: z.string().optional(),
  labels: text.nullish(),
  annotations: text.nullish(),
  ownerReferences: z.array(ownerReferenceSchema).nullish(),
  finalizers: z.array(z.string()).nullish(),
  uid: z.string().optional(),
  resourceVersion: z.string().optional(),
});

export const sentObjectSchema = z.looseObject({
  apiVersion: z.string().optional(),
  kind: z.string().optional(),
  metadata: sentMetaSchema.default({}),
});

export type SentObject = z.infer<typeof sentObjectSchema>;
type OwnerReference = z.infer<typeof ownerReferenceSchema>;

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
  readonly generation?: number | undefined;
  readonly deletionTimestamp?: string | undefined;
  readonly deletionGracePeriodSeconds?: number | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly ownerReferences?: readonly OwnerReference[] | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly [field: string]: unknown;
}

/** An object as it is stored: never changed in place, only replaced. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** A time as the API writes it: whole seconds. */
export const timestamp = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;
