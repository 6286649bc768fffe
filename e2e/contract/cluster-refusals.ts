import { expect, it } from 'vitest';
import type { OpenRequest } from '../../src/executor/executor.ts';
import type { Cluster, PlaceSettings } from './cluster.ts';
import { eventually } from './eventually.ts';
import { itIfAble } from './needs.ts';
import { openRequest } from './open-request.ts';
import { Recorder } from './recorder.ts';
import { type Refusal, refusedBy } from './refused.ts';
import { Session } from './session.ts';
import type { Transport } from './venue.ts';

/** How a pod that the cluster's rules keep away is told of. */
export function clusterRefusalsContract(cluster: Cluster, transport: Transport): void {
  const { view } = cluster;

  /** Opens what cannot be opened; checks that nothing is left of it. */
  async function refused(request: OpenRequest, settings: Partial<PlaceSettings> = {}): Promise<Refusal> {
    const refusal = await refusedBy(cluster.executor({ transport, ...settings }), request);
    const place = refusal.observer.places.at(-1);
    if (place?.kind === 'job') {
      const left = await view.objectsOf(place.namespace, place.name);
      expect(left).toEqual({ jobs: [], pods: [], policies: [] });
    }
    return refusal;
  }

  it.concurrent('shows what a quota says', async () => {
    const namespace = await cluster.makeNamespace();
    await view.core.createNamespacedResourceQuota({
      namespace,
      body: { metadata: { name: 'no-pods' }, spec: { hard: { pods: '0' } } },
    });
    const { error, ms } = await refused(openRequest(), { namespace });
    expect(error.code).toBe('QuotaExceeded');
    expect(error.message).toContain('exceeded quota: no-pods');
    expect(ms).toBeLessThan(30_000);
  });

  it.concurrent('shows what PodSecurity says, and the profile that it asks for passes', async () => {
    const namespace = await cluster.makeNamespace({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    const { error, ms } = await refused(openRequest(), { namespace });
    expect(error.code).toBe('AdmissionRejected');
    expect(error.message).toContain('violates PodSecurity');
    expect(ms).toBeLessThan(30_000);
    const executor = cluster.executor({ transport, namespace, profile: 'restricted' });
    const sandbox = await executor.open(openRequest(), new Recorder(), AbortSignal.timeout(60_000));
    try {
      expect(await new Session(sandbox).output('id -u; : >/work/x')).toBe('65532\n');
    } finally {
      await sandbox.close(AbortSignal.timeout(30_000));
    }
  });

  it.concurrent('shows which of a container’s settings cannot be met', async () => {
    const patch = { containers: [{ name: 'run', securityContext: { runAsNonRoot: true } }] };
    const { error, ms } = await refused(openRequest(), { patch });
    expect(error.code).toBe('ContainerConfig');
    expect(error.message).toContain('runAsNonRoot');
    expect(ms).toBeLessThan(40_000); // it is waited for a while
  }, 60_000);

  itIfAble(cluster.can.references, 'shows which Secret is not there', async () => {
    const valueFrom = { secretKeyRef: { name: 'no-such-secret', key: 'value' } };
    const patch = { containers: [{ name: 'run', env: [{ name: 'VALUE', valueFrom }] }] };
    const { error, observer } = await refused(openRequest(), { patch });
    expect(error.code).toBe('ContainerConfig');
    expect(error.message).toContain('no-such-secret');
    expect(observer.waits.map(({ reason }) => reason)).toContain('CreateContainerConfigError');
  });

  itIfAble(
    cluster.can.limits,
    'shows what a LimitRange says, of too much and of a default below a request',
    async () => {
      const namespace = await cluster.makeNamespace();
      // this client calls the API's `default` so, and drops a `default`
      const range = { type: 'Container', max: { memory: '32Mi' }, _default: { cpu: '100m' } };
      await view.core.createNamespacedLimitRange({
        namespace,
        body: { metadata: { name: 'small' }, spec: { limits: [range] } },
      });
      await eventually('the LimitRange is in force', async () => {
        const container = { name: 'x', image: 'x', resources: { requests: { memory: '64Mi' } } };
        const body = { metadata: { name: 'x' }, spec: { containers: [container] } };
        const trial = view.core.createNamespacedPod({ namespace, dryRun: 'All', body });
        return trial.then(
          () => undefined,
          (refusal: unknown) => (/maximum memory|memory limit/.test(String(refusal)) ? true : undefined),
        );
      });
      const large = await refused(openRequest(), { namespace, memory: '64Mi' });
      expect(large.error.code).toBe('AdmissionRejected');
      expect(large.error.message).toContain('maximum memory usage per Container is 32Mi');
      const busy = await refused(openRequest(), { namespace, cpu: '200m' });
      expect(busy.error.code).toBe('AdmissionRejected');
      expect(busy.error.message).toMatch(/must be less than or equal to cpu limit/);
      expect(large.ms + busy.ms).toBeLessThan(30_000);
    },
  );

  it.concurrent('tells what the scheduler says while it waits, and at the end', async () => {
    const limits = { ...openRequest().limits, readyMs: 4_000 };
    const { error, observer } = await refused(openRequest({ limits }), {
      nodeSelector: { 'example.com/no-such': 'node' },
    });
    expect(error.code).toBe('ReadyTimeout');
    expect(error.message).toMatch(/node affinity\/selector/);
    expect(observer.waits.map(({ message }) => message).join('\n')).toMatch(/0\/1 nodes are available/);
  });
}
