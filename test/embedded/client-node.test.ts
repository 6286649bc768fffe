import { PassThrough, Readable } from 'node:stream';
import type { V1Job, V1Pod } from '@kubernetes/client-node';
import { BatchV1Api, CoreV1Api, Exec, KubeConfig, Watch } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestCluster } from './fixture.ts';
import { keepAlive, podOfJob, testCluster, until } from './fixture.ts';

let it: TestCluster;
let config: KubeConfig;
beforeAll(async () => {
  it = await testCluster();
  config = new KubeConfig();
  config.loadFromFile(it.cluster.kubeconfigPath);
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
});

const job = (name: string): V1Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: {
    backoffLimit: 0,
    template: {
      spec: {
        restartPolicy: 'Never',
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'run', image: 'busybox:1.36', command: ['sh', '-c', keepAlive] }],
      },
    },
  },
});

test('list, create, watch, exec and delete', async () => {
  const core = config.makeApiClient(CoreV1Api);
  const batch = config.makeApiClient(BatchV1Api);
  const before = await core.listNamespacedPod({ namespace: 'default' });
  expect(before.items).toEqual([]);

  const seen: string[] = [];
  const watch = await new Watch(config).watch(
    '/api/v1/namespaces/default/pods',
    { resourceVersion: before.metadata?.resourceVersion ?? '', allowWatchBookmarks: true },
    (type: string, pod: V1Pod) => seen.push(`${type} ${pod.status?.phase}`),
    () => {},
  );
  const made = await batch.createNamespacedJob({ namespace: 'default', body: job('library') });
  expect(made.metadata?.uid).toMatch(/^[0-9a-f-]{36}$/);
  const name = (await podOfJob(it, 'library')).metadata.name;
  expect(seen[0]).toBe('ADDED Pending');
  expect(seen.at(-1)).toBe('MODIFIED Running');

  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const status = await new Promise((resolve, reject) => {
    new Exec(config)
      .exec(
        'default',
        name,
        'run',
        ['sh', '-c', 'cat; exit 5'],
        stdout,
        stderr,
        Readable.from(['hello']),
        false,
        resolve,
      )
      .catch(reject);
  });
  expect(status).toMatchObject({
    status: 'Failure',
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: '5' }] },
  });
  expect(String(stdout.read())).toBe('hello');

  await batch.deleteNamespacedJob({ name: 'library', namespace: 'default', propagationPolicy: 'Foreground' });
  await until('the end of the pod', async () =>
    seen.some((one) => one.startsWith('DELETED')) ? true : undefined,
  );
  watch.abort();
  await expect(batch.readNamespacedJob({ name: 'library', namespace: 'default' })).rejects.toThrow(
    /not found/,
  );
});
