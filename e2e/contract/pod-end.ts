import { expect, it } from 'vitest';
import type { Cluster } from './cluster.ts';
import { clusterVenue, jobOf } from './cluster-venue.ts';
import { endOf, expectFailure, openToEnd } from './end-of-place.ts';
import { eventually } from './eventually.ts';
import { itIfAble } from './needs.ts';
import { Session } from './session.ts';
import type { Transport } from './venue.ts';

/** The ends that only a Job and its pod can come to. */
export function podEndContract(cluster: Cluster, transport: Transport): void {
  const { view, namespace } = cluster;
  const venue = clusterVenue(cluster, transport);

  it('tells an eviction, and leaves a failed Job', async () => {
    const sandbox = await openToEnd(venue);
    const disturb = (): Promise<void> => cluster.evict(namespace, jobOf(sandbox.place).pod ?? '');
    const error = await endOf(venue, sandbox, { what: 'eviction', disturb });
    expect(error).toMatchObject({ code: 'Evicted' });
    await expectFailure(venue, sandbox.place);
  });

  it('leaves a failed Job where its pod was deleted', async () => {
    const sandbox = await openToEnd(venue);
    await venue.takeAway(sandbox.place);
    await expectFailure(venue, sandbox.place);
  });

  it('tells a deleted Job', async () => {
    const sandbox = await openToEnd(venue);
    const { name } = sandbox.place;
    const disturb = (): Promise<unknown> =>
      view.batch.deleteNamespacedJob({ namespace, name, propagationPolicy: 'Background' });
    const error = await endOf(venue, sandbox, { what: 'deleted Job', disturb });
    expect(error).toMatchObject({ code: 'PodDeleted' });
  });

  it('tells a Job past its deadline by the cluster’s name for it, not as a timeout of the run', async () => {
    const sandbox = await openToEnd(venue);
    const disturb = (): Promise<void> =>
      view.changeJob(namespace, sandbox.place.name, { activeDeadlineSeconds: 1 });
    const error = await endOf(venue, sandbox, { what: 'deadline', disturb });
    expect(error).toMatchObject({ code: 'DeadlineExceeded' });
    await expectFailure(venue, sandbox.place);
  });

  it('never goes on in a second pod of its Job', async () => {
    const sandbox = await openToEnd(venue);
    const { name, pod } = jobOf(sandbox.place);
    const session = new Session(sandbox);
    await session.output('touch /work/a');
    await view.changeJob(namespace, name, { backoffLimit: 3 });
    await venue.takeAway(sandbox.place);
    await eventually('the Job has made a second pod', async () => {
      const { pods } = await view.objectsOf(namespace, name);
      return pods.find(({ metadata, status }) => metadata?.name !== pod && status?.phase === 'Running');
    });
    await expect(session.run('echo it ran; ls /work/a')).rejects.toMatchObject({ code: 'PodDeleted' });
  });

  itIfAble(cluster.can.limits, 'tells the eviction for a volume that grew too large', async () => {
    const patch = {
      volumes: [{ name: 'small', emptyDir: { sizeLimit: '5Mi' } }],
      containers: [{ name: 'run', volumeMounts: [{ name: 'small', mountPath: '/small' }] }],
    };
    const sandbox = await openToEnd(venue, cluster.executor({ transport, patch }));
    const command = 'head -c 20000000 /dev/zero >/small/big; sleep 80';
    const error = await endOf(venue, sandbox, { what: 'full volume', command });
    expect(error).toMatchObject({ code: 'Evicted' });
    expect(error.message).toContain('5Mi');
    await expectFailure(venue, sandbox.place);
  });
}
