import { z } from 'zod';
import { reasonCodes } from '../../base/errors.ts';
import { resultSchema, stepResultSchema } from '../result-schema.ts';

/** How far a run has come, in the words of run-states.ts. */
export const journalStates = ['waiting', 'open', 'loaded', 'stepped', 'fetched'] as const;
export type JournalState = (typeof journalStates)[number];

const count = z.int().nonnegative();
const text = z.string().nullable();
const hex = z.string().regex(/^[0-9a-f]+$/);

const placeSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('job'),
    namespace: z.string(),
    name: z.string(),
    uid: text,
    pod: text,
    node: text,
  }),
  z.strictObject({ kind: z.literal('container'), name: z.string(), id: text }),
]);

const endingSchema = z.strictObject({
  status: z.enum(['failed', 'timeout', 'cancelled', 'error']),
  reason: z.strictObject({ code: z.enum(reasonCodes), message: z.string() }),
});

/**
 * What a later process has to know to take a run up where an earlier one left it. Holds no secret: of those only
 * salted digests. An older record of the same run is as good as the newest, only further from the end.
 */
export const journalSchema = z.strictObject({
  version: z.literal(1),
  run: z.strictObject({ id: z.string(), name: z.string(), runner: text }),
  /** What the nonces of the steps are made from. */
  key: hex,
  salt: hex,
  /** Of all that makes the steps what they are. */
  inputs: hex,
  /** By name. */
  secrets: z.record(z.string(), hex),
  /** The log's file; null where it goes elsewhere. */
  log: text,
  startedAt: z.iso.datetime(),
  savedAt: z.iso.datetime(),
  state: z.enum(journalStates),
  phase: z.enum(['wait', 'upload', 'steps', 'download', 'cleanup']),
  /** Milliseconds by phase, up to `savedAt`. */
  spent: z.strictObject({ wait: count, upload: count, steps: count, download: count, cleanup: count }),
  /** Known from `open` on. */
  place: placeSchema.nullable(),
  /** Those that came to an end, in order, and from `stepped` on all. */
  steps: z.array(stepResultSchema),
  /** Up to here the log holds finished steps. */
  logBytes: count,
  ended: endingSchema.nullable(),
  /** Whether no further step may start. */
  isOver: z.boolean(),
  outputs: resultSchema.shape.outputs,
  warnings: z.array(z.string()),
});
export type JournalRecord = z.infer<typeof journalSchema>;
