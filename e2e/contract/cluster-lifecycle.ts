import { expect, it, onTestFinished } from 'vitest';
import type { OpenRequest, Sandbox } from '../../src/executor/executor.ts';
import { annotations, labelDigestOf, labels } from '../../src/executor/kubernetes/object-names.ts';
import type { Cluster } from './cluster.ts';
import { jobOf } from './cluster-venue.ts';
import { eventually } from './eventually.ts';
import { openRequest } from './open-request.ts';
import { Recorder } from './recorder.ts';
import type { Transport } from './venue.ts';

/** The objects that a run is on a cluster, and what becomes of them. */
export function clusterLifecycleContract(cluster: Cluster, transport: Transport): void {
  const { view, namespace } = cluster;
  const soon = (): AbortSignal => AbortSignal.timeout(60_000);

  /** An open sandbox that the test's end closes, if the test has not. */
  async function open(request: OpenRequest = openRequest()): Promise<Sandbox> {
    const sandbox = await cluster.executor({ transport }).open(request, new Recorder(), soon());
    onTestFinished(async () => {
      await sandbox.close(soon());
    });
    return sandbox;
  }

  it('makes one Job, one pod and one NetworkPolicy, as the design lists them', async () => {
    const request = openRequest();
    const { place } = await open(request);
    const { name } = jobOf(place);
    const { jobs, pods, policies } = await view.objectsOf(namespace, name);
    expect([jobs.length, pods.length, policies.length]).toEqual([1, 1, 1]);

    const [job] = jobs;
    expect(job?.spec).toMatchObject({ backoffLimit: 0, podReplacementPolicy: 'Failed' });
    expect(job?.spec?.activeDeadlineSeconds).toBeGreaterThanOrEqual(60 + 600 + 120);
    expect(job?.spec?.ttlSecondsAfterFinished).toBeTypeOf('number');
    expect(Object.values(job?.metadata?.annotations ?? {})).toEqual(
      expect.arrayContaining([request.run.id, request.run.name, 'did:plc:contract']),
    );
    expect(job?.spec?.template.metadata?.annotations).toMatchObject({
      'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
      'karpenter.sh/do-not-disrupt': 'true',
    });

    const [pod] = pods;
    expect(pod?.metadata?.ownerReferences?.[0]?.uid).toBe(job?.metadata?.uid);
    expect(pod?.spec).toMatchObject({
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
    });
    expect(pod?.spec?.containers.map(({ name }) => name)).toEqual(['run']);
    expect(pod?.spec?.containers[0]?.securityContext?.allowPrivilegeEscalation).toBe(false);
    const mounts = pod?.spec?.containers[0]?.volumeMounts?.map(({ mountPath }) => mountPath) ?? [];
    expect(mounts).toEqual(expect.arrayContaining(['/work', '/steps', '/outputs', '/tmp']));
    expect(mounts.filter((path) => path.startsWith('/var/run/secrets'))).toEqual([]);

    expect(place).toMatchObject({
      kind: 'job',
      namespace,
      uid: job?.metadata?.uid,
      pod: pod?.metadata?.name,
      node: pod?.spec?.nodeName,
    });
  });

  it('lets go of the time to live of a Job that is kept, and not of its deadline', async () => {
    const sandbox = await open(openRequest({ keep: true }));
    const { name } = jobOf(sandbox.place);
    onTestFinished(async () => {
      await view.batch.deleteNamespacedJob({ namespace, name, propagationPolicy: 'Foreground' });
    });
    await sandbox.close(soon());
    const { jobs, pods } = await view.objectsOf(namespace, name);
    expect(jobs[0]?.spec?.activeDeadlineSeconds).toBeTypeOf('number');
    expect(jobs[0]?.spec?.ttlSecondsAfterFinished).toBeUndefined();
    // the status follows up to a second behind the event by which a run knows
    expect(['Pending', 'Running']).toContain(pods[0]?.status?.phase);
  });

  it('can be found by its runner, whatever text that is, and keeps the exact text', async () => {
    const runners = [
      'did:plc:abc123',
      'did:web:example.com%3A8080',
      `did:web:${'x'.repeat(192)}`,
      'at://did:plc:x/y',
    ];
    const found = runners.map(async (runner) => {
      const request = openRequest();
      const sandbox = await open({ ...request, run: { ...request.run, name: `run of ${runner}`, runner } });
      const labelSelector = `${labels.runner}=${labelDigestOf(runner)}`;
      const { items } = await view.batch.listNamespacedJob({ namespace, labelSelector });
      expect(items.map(({ metadata }) => metadata?.name)).toEqual([jobOf(sandbox.place).name]);
      expect(items[0]?.metadata?.annotations).toMatchObject({
        [annotations.runner]: runner,
        [annotations.name]: `run of ${runner}`,
      });
    });
    await Promise.all(found);
  });

  it('says what is left and how to remove it when a pod does not go', async () => {
    const sandbox = await cluster.executor({ transport }).open(openRequest(), new Recorder(), soon());
    const { name, pod } = jobOf(sandbox.place);
    if (!pod) throw new Error('the place has no pod');
    await view.holdPod(namespace, pod, ['example.com/hold']);
    const closed = await sandbox.close(AbortSignal.timeout(3_000));
    expect(closed).toMatchObject({ deleted: false, kept: false });
    expect(closed.leftover).toContain(pod);
    expect(closed.leftover).toContain(`kubectl delete job ${name} -n ${namespace}`);
    const again = await sandbox.close(AbortSignal.timeout(3_000));
    expect(again).toMatchObject({ deleted: false, leftover: expect.stringContaining(pod) });
    await view.holdPod(namespace, pod, []);
    expect(await sandbox.close(soon())).toEqual({ deleted: true, kept: false, leftover: null });
    const { jobs, pods, policies } = await view.objectsOf(namespace, name);
    expect(jobs.length + pods.length + policies.length).toBe(0);
  });

  it('does not touch a Job of the same name that it did not make', async () => {
    const sandbox = await open();
    const { name } = jobOf(sandbox.place);
    await view.batch.deleteNamespacedJob({ namespace, name, propagationPolicy: 'Background' });
    await eventually('the Job is gone', async () => ((await view.job(namespace, name)) ? undefined : true));
    const foreign = await view.batch.createNamespacedJob({
      namespace,
      body: {
        metadata: { name },
        spec: {
          suspend: true,
          template: {
            spec: { restartPolicy: 'Never', containers: [{ name: 'other', image: 'busybox:1.36' }] },
          },
        },
      },
    });
    onTestFinished(async () => {
      await view.batch.deleteNamespacedJob({ namespace, name, propagationPolicy: 'Background' });
    });
    await sandbox.close(soon());
    expect((await view.job(namespace, name))?.metadata?.uid).toBe(foreign.metadata?.uid);
  });
}
