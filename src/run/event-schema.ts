import { z } from 'zod';
import { resultSchema, stepResultSchema } from './result-schema.ts';

const phases = ['wait', 'upload', 'steps', 'download', 'cleanup'] as const;
export type Phase = (typeof phases)[number];

const time = z.iso.datetime();
const step = z.string().describe("The step's name.");

/** One line of the events file, whose JSON Schema is published. */
export const eventSchema = z.union([
  z.strictObject({ time, type: z.literal('phase'), phase: z.enum(phases) }),
  z.strictObject({
    time,
    type: z.literal('waiting'),
    reason: z.string().describe('A word: `Unschedulable`, `Pulling`, …'),
    message: z.string().describe("The cluster's own words."),
    since: z.iso.datetime(),
  }),
  z.strictObject({
    time,
    type: z.literal('transfer'),
    direction: z.enum(['upload', 'download']),
    bytes: z.int().nonnegative(),
    total: z.int().nonnegative().nullable(),
  }),
  z.strictObject({ time, type: z.literal('step-started'), step, index: z.int().nonnegative() }),
  z.strictObject({ time, type: z.literal('log'), step, text: z.string() }),
  z.strictObject({
    time,
    type: z.literal('log'),
    step,
    base64: z.base64().describe('Bytes that are no UTF-8.'),
  }),
  z.strictObject({ time, type: z.literal('step-finished'), step, result: stepResultSchema }),
  z.strictObject({ time, type: z.literal('warning'), message: z.string() }),
  z.strictObject({ time, type: z.literal('finished'), result: resultSchema }),
]);
export type RunEvent = z.infer<typeof eventSchema>;

type WithoutTime<Event> = Event extends unknown ? Omit<Event, 'time'> : never;
/** What an event says, before it got its time. */
export type EventBody = WithoutTime<RunEvent>;
