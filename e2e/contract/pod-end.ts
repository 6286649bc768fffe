import type { V1Pod } from '@kubernetes/client-node';
import { expect, it, onTestFinished } from 'vitest';
import { asRunnerError, type RunnerError } from '../../src/base/errors.ts';
import type { KubernetesPlace, Sandbox } from '../../src/executor/executor.ts';
import type { Cluster, PlaceSettings, Transport } from './cluster.ts';
import { eventually } from './eventually.ts';
import { itIfAble } from './needs.ts';
import { openRequest } from './open-request.ts';
import { Recorder } from './recorder.ts';
import { Session } from './session.ts';

/** Between the API showing that a pod ends and the run knowing why. */
const knownWithinMs = 5_000;

/** How a run learns that its pod has come to an end: soon, by its cause, and never as the step's own result. */
export function podEndContract(cluster: Cluster, transport: Transport): void {
  const { view, namespace } = cluster;
  const soon = (): AbortSignal => AbortSignal.timeout(60_000);

  interface Opened {
    readonly sandbox: Sandbox;
    readonly place: KubernetesPlace;
    readonly pod: string;
  }

  async function open(settings: Partial<PlaceSettings> = {}): Promise<Opened> {
    const executor = cluster.executor({ transport, ...settings });
    const sandbox = await executor.open(openRequest(), new Recorder(), soon());
    onTestFinished(async () => {
      expect(await sandbox.close(soon())).toMatchObject({ deleted: true, leftover: null });
      expect(await view.objectsOf(namespace, place.name)).toEqual({ jobs: [], pods: [], policies: [] });
    });
    const { place } = sandbox;
    if (place.kind !== 'job' || !place.pod) throw new Error('the place is no pod');
    return { sandbox, place, pod: place.pod };
  }

  /** Resolves when the API shows that the pod ends. */
  const shown = (name: string): Promise<number> =>
    eventually(
      'the API shows the end of the pod',
      async () => (isEnding(await view.pod(namespace, name)) ? performance.now() : undefined),
      75_000,
    );

  /** Runs a command that says `ready` and would go on; then does what ends the pod. The error of the step. */
  async function endOf(
    { sandbox, pod }: Opened,
    what: string,
    command: string,
    disturb: () => Promise<unknown> = async () => {},
  ): Promise<RunnerError> {
    let disturbing: Promise<unknown> | undefined;
    let isShown: Promise<number> | undefined;
    const error = await new Session(sandbox)
      .run(`echo ready; ${command}`, {
        onOutput: () => {
          isShown ??= shown(pod);
          disturbing ??= disturb();
        },
      })
      .then(({ verdict }) => {
        throw new Error(`the step came to ${JSON.stringify(verdict)}`);
      }, asRunnerError);
    const known = performance.now();
    await disturbing;
    const ms = Math.round(known - ((await isShown) ?? Number.NaN));
    console.log(`figure: ${cluster.name}, ${transport}: ${what}: known ${ms} ms after the API showed it`);
    expect(ms).toBeLessThan(knownWithinMs);
    return error;
  }

  async function expectFailedJob({ place }: Opened): Promise<void> {
    const job = await eventually('the Job has failed', async () => {
      const seen = await view.job(namespace, place.name);
      return seen?.status?.failed ? seen : undefined;
    });
    expect(job.status?.succeeded ?? 0).toBe(0);
    expect(job.status?.conditions?.map(({ type }) => type) ?? []).not.toContain('Complete');
  }

  it('tells an eviction, and leaves a failed Job', async () => {
    const opened = await open();
    const error = await endOf(opened, 'eviction', 'sleep 60', () => cluster.evict(namespace, opened.pod));
    expect(error).toMatchObject({ code: 'Evicted' });
    await expectFailedJob(opened);
  });

  it('tells a deleted pod, and leaves a failed Job', async () => {
    const opened = await open();
    const error = await endOf(opened, 'deleted pod', 'sleep 60', () =>
      view.core.deleteNamespacedPod({ namespace, name: opened.pod }),
    );
    expect(error).toMatchObject({ code: 'PodDeleted' });
    await expectFailedJob(opened);
  });

  it('tells a deleted Job', async () => {
    const opened = await open();
    const { name } = opened.place;
    const error = await endOf(opened, 'deleted Job', 'sleep 60', () =>
      view.batch.deleteNamespacedJob({ namespace, name, propagationPolicy: 'Background' }),
    );
    expect(error).toMatchObject({ code: 'PodDeleted' });
  });

  it('tells a Job past its deadline by the cluster’s name for it, not as a timeout of the run', async () => {
    const opened = await open();
    const error = await endOf(opened, 'deadline', 'sleep 60', () =>
      view.changeJob(namespace, opened.place.name, { activeDeadlineSeconds: 1 }),
    );
    expect(error).toMatchObject({ code: 'DeadlineExceeded' });
    await expectFailedJob(opened);
  });

  it('tells a container that crashed', async () => {
    const opened = await open();
    const error = await endOf(opened, 'crash', 'sleep 1; kill -TERM 1; sleep 60');
    expect(error).toMatchObject({ code: 'PodFailed' });
    expect(error.message).toContain('143');
    await expectFailedJob(opened);
  });

  it('never goes on in a second pod of its Job', async () => {
    const opened = await open();
    const session = new Session(opened.sandbox);
    await session.output('touch /work/a');
    await view.changeJob(namespace, opened.place.name, { backoffLimit: 3 });
    await view.core.deleteNamespacedPod({ namespace, name: opened.pod });
    await eventually('the Job has made a second pod', async () => {
      const { pods } = await view.objectsOf(namespace, opened.place.name);
      return pods.find(
        ({ metadata, status }) => metadata?.name !== opened.pod && status?.phase === 'Running',
      );
    });
    await expect(session.run('echo it ran; ls /work/a')).rejects.toMatchObject({ code: 'PodDeleted' });
  });

  itIfAble(cluster.can.limits, 'tells a step’s own out-of-memory kill as its failure', async () => {
    const { sandbox } = await open({ memory: '64Mi' });
    const session = new Session(sandbox);
    const { verdict, text } = await session.run('echo before; tail /dev/zero; echo after');
    expect(text).toMatch(/^before\n(Killed\n)?$/);
    expect(verdict).toMatchObject({ kind: 'exited', exitCode: 137, usage: { oomKilled: true } });
    const next = await session.run('echo unharmed');
    expect(next).toMatchObject({ text: 'unharmed\n', verdict: { exitCode: 0, usage: { oomKilled: false } } });
  });

  itIfAble(cluster.can.limits, 'tells the out-of-memory kill of the whole container', async () => {
    // with the cpu limited as well, only process 1 is one that the kernel takes before the hog
    const cpu = { limits: { cpu: '500m' }, requests: { cpu: '500m' } };
    const opened = await open({ memory: '64Mi', patch: { containers: [{ name: 'run', resources: cpu }] } });
    const hog = 'sleep 1; echo 1000 >/proc/1/oom_score_adj; tail /dev/zero; sleep 60';
    const error = await endOf(opened, 'out of memory', hog);
    expect(error).toMatchObject({ code: 'OOMKilled' });
    expect(error.message).toContain('--memory');
    await expectFailedJob(opened);
  });

  itIfAble(cluster.can.limits, 'tells the eviction for a volume that grew too large', async () => {
    const opened = await open({
      patch: {
        volumes: [{ name: 'small', emptyDir: { sizeLimit: '5Mi' } }],
        containers: [{ name: 'run', volumeMounts: [{ name: 'small', mountPath: '/small' }] }],
      },
    });
    const error = await endOf(opened, 'full volume', 'head -c 20000000 /dev/zero >/small/big; sleep 80');
    expect(error).toMatchObject({ code: 'Evicted' });
    expect(error.message).toContain('5Mi');
    await expectFailedJob(opened);
  });
}

function isEnding(pod: V1Pod | null): boolean {
  return (
    pod === null ||
    pod.metadata?.deletionTimestamp !== undefined ||
    pod.status?.phase === 'Failed' ||
    (pod.status?.containerStatuses ?? []).some(({ state }) => state?.terminated !== undefined)
  );
}
