import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Cluster, Transport } from './cluster.ts';
import { eventually } from './eventually.ts';

const placeSchema = z.object({ name: z.string(), pod: z.string() });
const orphanMs = 10_000;
const scriptAt = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What becomes of a run whose runner was killed and never comes back. */
export function orphanContract(cluster: Cluster, transport: Transport): void {
  const { view, namespace, kubeconfig } = cluster;

  it('ends its pod by itself, as a failure, and goes by its time to live', async () => {
    const settings = JSON.stringify({ kubeconfig, namespace, transport, orphanMs });
    const argv = [scriptAt('../../scripts/run-ts.mjs'), scriptAt('abandoned-runner.ts'), settings];
    const runner = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void runner.kill('SIGKILL'));
    const [line] = await once(createInterface(runner.stdout), 'line');
    const { name, pod } = placeSchema.parse(JSON.parse(line));
    runner.kill('SIGKILL');
    const killed = performance.now();
    const job = await eventually(
      'the Job has failed',
      async () => {
        const seen = await view.job(namespace, name);
        return seen?.status?.conditions?.some(({ type }) => type === 'Failed') ? seen : undefined;
      },
      // the lease is looked at every 5 s
      orphanMs + 20_000,
    );
    const ms = Math.round(performance.now() - killed);
    console.log(
      `figure: ${cluster.name}, ${transport}: a pod with a lease of ${orphanMs} ms ended after ${ms} ms`,
    );
    const ended = (await view.pod(namespace, pod))?.status;
    expect(ended?.phase).toBe('Failed');
    expect(ended?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(75);
    expect(job.status?.conditions?.map(({ type }) => type)).not.toContain('Complete');
    expect(job.spec?.ttlSecondsAfterFinished).toBe(300);
    await view.changeJob(namespace, name, { ttlSecondsAfterFinished: 1 });
    await eventually('nothing of the run is left', async () => {
      const { jobs, pods, policies } = await view.objectsOf(namespace, name);
      return jobs.length + pods.length + policies.length === 0 ? true : undefined;
    });
  }, 80_000);
}
