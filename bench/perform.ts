import { execFile } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { promisify } from 'node:util';
import { z } from 'zod';
import { messageOf } from '../src/base/errors.ts';
import type { Measure } from './measures/measure.ts';
import type { Report, Row } from './report.ts';
import type { Stage } from './stage.ts';

export async function perform(stage: Stage, measures: readonly Measure[]): Promise<Report> {
  const measured = await performAll(stage, measures);
  return { ...measured, cluster: await clusterOf(stage), kubectl: await kubectlVersion(stage) };
}

interface AnyMeasure<S> {
  readonly name: string;
  run(stage: S): Promise<readonly Row[]>;
}

/** One measure after another. One that fails is told and does not take the others with it. */
export async function performAll<S extends Pick<Stage, 'clock' | 'signal'>>(
  stage: S,
  measures: readonly AnyMeasure<S>[],
): Promise<Omit<Report, 'cluster' | 'kubectl'>> {
  const startedAt = stage.clock.date().toISOString();
  const began = stage.clock.now();
  const rows: Row[] = [];
  const failures: string[] = [];
  for (const measure of measures) {
    try {
      rows.push(...(await measure.run(stage)));
    } catch (error) {
      stage.signal.throwIfAborted();
      failures.push(`${measure.name}: ${messageOf(error)}`);
    }
  }
  return {
    schemaVersion: 1,
    startedAt,
    durationMs: Math.round(stage.clock.now() - began),
    machine: {
      cpus: cpus().length,
      cpu: cpus()[0]?.model ?? '',
      memoryBytes: totalmem(),
      node: process.version,
    },
    rows,
    failures,
  };
}

const versionSchema = z.object({ gitVersion: z.string() });
const nodesSchema = z.object({
  items: z.array(
    z.object({
      status: z.object({ nodeInfo: z.object({ containerRuntimeVersion: z.string() }).optional() }),
    }),
  ),
});

async function clusterOf({ bare, image }: Stage): Promise<Report['cluster']> {
  const { gitVersion } = versionSchema.parse(JSON.parse(await bare.call('GET', '/version')));
  const nodes = nodesSchema.parse(JSON.parse(await bare.call('GET', '/api/v1/nodes')));
  return {
    version: gitVersion,
    runtime: nodes.items[0]?.status.nodeInfo?.containerRuntimeVersion ?? '',
    image,
  };
}

const clientSchema = z.object({ clientVersion: versionSchema });

async function kubectlVersion({ kubectl }: Stage): Promise<string> {
  const { stdout } = await promisify(execFile)(kubectl, ['version', '--client', '-o', 'json']);
  return clientSchema.parse(JSON.parse(stdout)).clientVersion.gitVersion;
}
