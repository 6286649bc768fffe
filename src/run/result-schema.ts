import { z } from 'zod';
import { reasonCodes } from '../base/errors.ts';

/** What a run came to. `error`: it could not be started, judged or finished. */
const runStatuses = ['success', 'failed', 'timeout', 'cancelled', 'error'] as const;
export type RunStatus = (typeof runStatuses)[number];

const count = z.int().nonnegative();
const milliseconds = z.int().nonnegative();
const date = z.iso.datetime();

const reasonSchema = z.strictObject({
  code: z.enum(reasonCodes),
  message: z.string().describe('For a person: what happened, why, and what to do about it.'),
});
export type Reason = z.infer<typeof reasonSchema>;

export const stepResultSchema = z.strictObject({
  name: z.string(),
  status: z.enum([...runStatuses, 'skipped']),
  exitCode: z.int().nullable().describe("What the step's shell ended with; null where that is not known."),
  signal: z
    .enum(['TERM', 'KILL'])
    .nullable()
    .describe('The last signal that the runner sent to end the step; null where it sent none.'),
  reason: reasonSchema.nullable(),
  continueOnError: z.boolean(),
  startedAt: date.nullable(),
  durationMs: milliseconds.nullable(),
  log: z
    .strictObject({ offset: count, bytes: count })
    .nullable()
    .describe("Where the step's own bytes are in the written log; null without a log or for a skipped step."),
  cpuMs: z.number().nonnegative().nullable(),
  peakMemoryBytes: count.nullable(),
});
export type StepResult = z.infer<typeof stepResultSchema>;

/** `result.json`, whose JSON Schema is published. */
export const resultSchema = z.strictObject({
  schemaVersion: z.literal(1),
  run: z.strictObject({
    id: z.string().describe('Random, new for each run.'),
    name: z.string(),
    runner: z.string().nullable(),
    image: z.string(),
  }),
  status: z.enum(runStatuses),
  reason: reasonSchema.nullable().describe('What ended the run first; null only for `success`.'),
  startedAt: date,
  finishedAt: date,
  durationMs: milliseconds,
  steps: z.array(stepResultSchema),
  job: z
    .strictObject({
      namespace: z.string(),
      name: z.string(),
      uid: z.string().nullable(),
      pod: z.string().nullable(),
      node: z.string().nullable(),
      kept: z.boolean(),
      deleted: z.boolean(),
    })
    .nullable(),
  container: z
    .strictObject({
      id: z.string().nullable(),
      name: z.string(),
      kept: z.boolean(),
      deleted: z.boolean(),
    })
    .nullable(),
  timings: z
    .strictObject({
      waitMs: milliseconds,
      uploadMs: milliseconds,
      stepsMs: milliseconds,
      downloadMs: milliseconds,
      cleanupMs: milliseconds,
    })
    .describe('Consecutive phases that do not overlap; their sum is `durationMs`.'),
  outputs: z
    .strictObject({
      files: count.describe('Regular files.'),
      bytes: count,
      complete: z.boolean(),
    })
    .nullable()
    .describe('Null where no outputs were asked for.'),
  warnings: z.array(z.string()),
});
export type RunResult = z.infer<typeof resultSchema>;
