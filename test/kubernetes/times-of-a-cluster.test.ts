import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { kubernetesExecutor } from '../../e2e/contract/kubernetes-executor.ts';
import { openRequest } from '../../e2e/contract/open-request.ts';
import { Recorder } from '../../e2e/contract/recorder.ts';
import { Session } from '../../e2e/contract/session.ts';
import { systemClock } from '../../src/base/clock.ts';
import { type EmbeddedClusterOptions, startEmbeddedCluster } from '../../src/embedded/cluster.ts';

async function clusterWith(options: Partial<EmbeddedClusterOptions>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'knotless-times-'));
  const cluster = await startEmbeddedCluster({
    folder: join(folder, 'cluster'),
    clock: systemClock(),
    ...options,
  });
  onTestFinished(async () => {
    await cluster[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });
  return cluster.kubeconfigPath;
}

const soon = (): AbortSignal => AbortSignal.timeout(20_000);
const onCluster = (kubeconfig: string) =>
  kubernetesExecutor({ kubeconfig, namespace: 'default', transport: 'api' });

test.each([-10, 10])(
  'a cluster whose clock is %i minutes off runs steps and ends runs as any other',
  async (minutes) => {
    const ahead = minutes * 60_000;
    const clock = { ...systemClock(), date: () => new Date(Date.now() + ahead) };
    const sandbox = await onCluster(await clusterWith({ clock })).open(openRequest(), new Recorder(), soon());
    expect(await new Session(sandbox).output('echo passed')).toBe('passed\n');
    expect(await sandbox.close(soon())).toEqual({ deleted: true, kept: false, leftover: null });
  },
);

test('a node that comes from zero is waited for, and the autoscaler’s word is told', async () => {
  const observer = new Recorder();
  const executor = onCluster(await clusterWith({ nodeDelayMs: 2_000 }));
  const began = performance.now();
  const sandbox = await executor.open(openRequest(), observer, soon());
  expect(performance.now() - began).toBeGreaterThan(1_900);
  expect(observer.waits.map(({ reason }) => reason)).toContain('TriggeredScaleUp');
  expect(observer.waits.map(({ message }) => message).join('\n')).toMatch(/0\/0 nodes|no nodes available/);
  await sandbox.close(soon());
});
