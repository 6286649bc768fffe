import { z } from 'zod';

/** By which another process of the suite finds an executor. */
export const addressSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('kubernetes'),
    kubeconfig: z.string(),
    namespace: z.string(),
    transport: z.enum(['api', 'kubectl']),
  }),
  z.object({ kind: z.literal('docker'), url: z.string() }),
]);
export type Address = z.infer<typeof addressSchema>;

/** A place as another process told it. */
export const placeSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('job'),
    namespace: z.string(),
    name: z.string(),
    uid: z.string().nullable(),
    pod: z.string().nullable(),
    node: z.string().nullable(),
  }),
  z.object({ kind: z.literal('container'), name: z.string(), id: z.string().nullable() }),
]);
