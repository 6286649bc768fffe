import { z } from 'zod';

/** What this executor reads of the engine's objects. */
const stateSchema = z.object({
  Status: z.string().optional(),
  Running: z.boolean(),
  OOMKilled: z.boolean().nullish(),
  ExitCode: z.number().nullish(),
  Error: z.string().nullish(),
});
export type ContainerState = z.output<typeof stateSchema>;

export const containerSchema = z.object({
  Id: z.string().regex(/^[0-9a-f]{12,}$/),
  Name: z.string().optional(),
  State: stateSchema,
  Config: z.object({ Labels: z.record(z.string(), z.string()).nullish() }),
});
export type ContainerObject = z.output<typeof containerSchema>;

export const imageSchema = z.object({
  Id: z.string(),
  Config: z.object({ User: z.string().nullish() }).nullish(),
  Architecture: z.string().optional(),
  Os: z.string().optional(),
});

export const createdSchema = z.object({
  Id: z.string().regex(/^[0-9a-f]{12,}$/),
  Warnings: z.array(z.string()).nullish(),
});

export const listSchema = z
  .array(z.object({ Id: z.string().regex(/^[0-9a-f]{12,}$/) }))
  .nullish()
  .transform((list) => list ?? []);

/** An answer that says nothing. */
export const anything = z.unknown();
