import { expect, it, onTestFinished } from 'vitest';
import type { RunnerError } from '../../src/base/errors.ts';
import type { KubernetesPlace, OpenRequest, Sandbox } from '../../src/executor/executor.ts';
import { annotations, labelDigestOf, labels } from '../../src/executor/kubernetes/object-names.ts';
import type { Cluster, PlaceSettings, Transport } from './cluster.ts';
import { eventually } from './eventually.ts';
import { openRequest } from './open-request.ts';
import { Recorder } from './recorder.ts';
import { Session } from './session.ts';

/** What stands on the cluster while a run is open, and what is left of it. */
export function lifecycleContract(cluster: Cluster, transport: Transport): void {
  const { view, namespace } = cluster;
  const soon = (): AbortSignal => AbortSignal.timeout(60_000);

  /** An open sandbox that the test's end closes, if the test has not. */
  async function open(
    request: OpenRequest = openRequest(),
    settings: Partial<PlaceSettings> = {},
    observer: Recorder = new Recorder(),
  ): Promise<Sandbox> {
    const executor = cluster.executor({ transport, ...settings });
    const sandbox = await executor.open(request, observer, soon());
    onTestFinished(async () => {
      await sandbox.close(soon());
    });
    return sandbox;
  }

  it('makes one Job, one pod and one NetworkPolicy, as the design lists them', async () => {
    const request = openRequest();
    const observer = new Recorder();
    const place = jobOf(await open(request, {}, observer));
    const { jobs, pods, policies } = await view.objectsOf(namespace, place.name);
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
    expect(observer.places.at(-1)).toEqual(place);
  });

  it('has removed all of it once it is closed', async () => {
    const sandbox = await open();
    const began = performance.now();
    expect(await sandbox.close(soon())).toEqual({ deleted: true, kept: false, leftover: null });
    expect(performance.now() - began).toBeLessThan(10_000);
    await expectNothing(jobOf(sandbox).name);
  });

  it('closes in mid-step, once the step was abandoned', async () => {
    const sandbox = await open();
    const abandon = new AbortController();
    const step = new Session(sandbox).run('echo ready; sleep 60', {
      abandon: abandon.signal,
      onOutput: () => abandon.abort(new Error('abandoned by the test')),
    });
    await expect(step).rejects.toThrow('abandoned by the test');
    expect(await sandbox.close(soon())).toMatchObject({ deleted: true });
    await expectNothing(jobOf(sandbox).name);
  });

  it('refuses a name that is taken, naming the Job, and leaves the first run alone', async () => {
    const request = openRequest();
    const sandbox = await open(request);
    const second = { ...request, run: { ...request.run, id: openRequest().run.id } };
    const refused = await cluster
      .executor({ transport })
      .open(second, new Recorder(), soon())
      .catch((error: RunnerError) => error);
    expect(refused).toMatchObject({ code: 'AlreadyExists' });
    expect(refused).toHaveProperty('message', expect.stringContaining(jobOf(sandbox).name));
    expect(await new Session(sandbox).output('echo unharmed')).toBe('unharmed\n');
  });

  it('takes the same name again as soon as the first run is closed', async () => {
    const request = openRequest();
    const first = await open(request);
    await first.close(soon());
    const second = await open(request);
    expect(jobOf(second).name).toBe(jobOf(first).name);
    expect(jobOf(second).uid).not.toBe(jobOf(first).uid);
  });

  it('keeps what the run asked to keep, and says how to remove it', async () => {
    const sandbox = await open(openRequest({ keep: true }));
    const { name } = jobOf(sandbox);
    onTestFinished(async () => {
      await view.batch.deleteNamespacedJob({ namespace, name, propagationPolicy: 'Foreground' });
    });
    const closed = await sandbox.close(soon());
    expect(closed).toMatchObject({ deleted: false, kept: true });
    expect(closed.leftover).toContain(name);
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
      expect(items.map(({ metadata }) => metadata?.name)).toEqual([jobOf(sandbox).name]);
      expect(items[0]?.metadata?.annotations).toMatchObject({
        [annotations.runner]: runner,
        [annotations.name]: `run of ${runner}`,
      });
    });
    await Promise.all(found);
  });

  it('says what is left and how to remove it when a pod does not go', async () => {
    const sandbox = await cluster.executor({ transport }).open(openRequest(), new Recorder(), soon());
    const { name, pod } = jobOf(sandbox);
    if (!pod) throw new Error('the place has no pod');
    await view.holdPod(namespace, pod, ['example.com/hold']);
    const closed = await sandbox.close(AbortSignal.timeout(3_000));
    expect(closed).toMatchObject({ deleted: false, kept: false });
    expect(closed.leftover).toContain(pod);
    expect(closed.leftover).toContain(`kubectl delete job ${name} -n ${namespace}`);
    await view.holdPod(namespace, pod, []);
    await eventually('nothing is left', async () => {
      const { jobs, pods, policies } = await view.objectsOf(namespace, name);
      return jobs.length + pods.length + policies.length === 0 ? true : undefined;
    });
  });

  it('does not touch a Job of the same name that it did not make', async () => {
    const sandbox = await open();
    const { name } = jobOf(sandbox);
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

  it('leaves nothing when it is called off while it opens', async () => {
    const called = new AbortController();
    const observer = new Recorder();
    const place = observer.place.bind(observer);
    observer.place = (told) => {
      place(told);
      if (told.kind === 'job' && told.uid !== null) called.abort(new Error('called off by the test'));
    };
    const opening = cluster.executor({ transport }).open(openRequest(), observer, called.signal);
    await expect(opening).rejects.toThrow('called off by the test');
    const told = observer.places.at(-1);
    await expectNothing(told?.kind === 'job' ? told.name : '');
  });

  async function expectNothing(name: string): Promise<void> {
    expect(name).not.toBe('');
    expect(await view.objectsOf(namespace, name)).toEqual({ jobs: [], pods: [], policies: [] });
  }
}

function jobOf(sandbox: Sandbox): KubernetesPlace {
  if (sandbox.place.kind !== 'job') throw new Error('the place is no Job');
  return sandbox.place;
}
