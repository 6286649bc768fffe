import { z } from 'zod';
import type { Report } from './report.ts';

const sampleSchema = z.object({
  ms: z.number(),
  cpuMs: z.number().exactOptional(),
  peakBytes: z.number().exactOptional(),
});

const reportSchema = z.object({
  schemaVersion: z.literal(1),
  startedAt: z.iso.datetime(),
  durationMs: z.number(),
  machine: z.object({ cpus: z.number(), cpu: z.string(), memoryBytes: z.number(), node: z.string() }),
  cluster: z.object({ version: z.string(), runtime: z.string(), image: z.string() }),
  kubectl: z.string(),
  rows: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      series: z.array(
        z.object({
          contender: z.string(),
          samples: z.array(sampleSchema),
          repeated: z.array(z.string()).exactOptional(),
        }),
      ),
    }),
  ),
  failures: z.array(z.string()),
});

export const parseReport = (text: string): Report => reportSchema.parse(JSON.parse(text));
