import { describe, expect, it } from 'vitest';
import { asRunnerError, type RunnerError } from '../../src/base/errors.ts';
import type { OpenRequest } from '../../src/executor/executor.ts';
import type { Cluster, PlaceSettings, Transport } from './cluster.ts';
import { eventually } from './eventually.ts';
import { describeIfAble, itIfAble } from './needs.ts';
import { openRequest } from './open-request.ts';
import { Recorder } from './recorder.ts';
import { Session } from './session.ts';

/** How a place that cannot be had is told of: soon, in the cluster's own words, with nothing left behind. */
export function refusalsContract(cluster: Cluster, transport: Transport): void {
  const { view } = cluster;

  interface Refusal {
    readonly error: RunnerError;
    readonly observer: Recorder;
    readonly ms: number;
  }

  /** Opens what cannot be opened; checks that nothing is left of it. */
  async function refused(request: OpenRequest, settings: Partial<PlaceSettings> = {}): Promise<Refusal> {
    const observer = new Recorder();
    const began = performance.now();
    const error = await cluster
      .executor({ transport, ...settings })
      .open(request, observer, AbortSignal.timeout(90_000))
      .then(
        async (sandbox) => {
          await sandbox.close(AbortSignal.timeout(30_000));
          throw new Error('it was opened');
        },
        (thrown: unknown) => asRunnerError(thrown),
      );
    const ms = performance.now() - began;
    const place = observer.places.at(-1);
    if (place?.kind === 'job') {
      const left = await view.objectsOf(place.namespace, place.name);
      expect(left).toEqual({ jobs: [], pods: [], policies: [] });
    }
    return { error, observer, ms };
  }

  describeIfAble(cluster.can.admission, 'the cluster’s rules', () => {
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
  });

  describe('images', () => {
    it.concurrent('refuses a name that is none', async () => {
      const { error, ms } = await refused(openRequest({ image: 'UPPER/CASE' }));
      expect(error.code).toBe('InvalidImage');
      expect(error.message).toContain('UPPER/CASE');
      expect(ms).toBeLessThan(30_000);
    });

    const images: readonly (readonly [string, string, RegExp])[] = [
      ['realk8s/no-shell:1', 'UnsuitableImage', /\bsh\b/],
      ['realk8s/no-tar:1', 'UnsuitableImage', /\btar\b/],
    ];
    for (const [image, code, message] of images) {
      describeIfAble(cluster.can.image(image), image, () => {
        it.concurrent('is refused in one line that names what it lacks', async () => {
          const { error, ms } = await refused(openRequest({ image }));
          expect(error.code).toBe(code);
          expect(error.message).toMatch(message);
          expect(error.message).not.toContain('\n');
          expect(ms).toBeLessThan(30_000);
        });
      });
    }

    describeIfAble(cluster.can.pulls, 'that cannot be had', () => {
      it.concurrent('ends soon where nothing may be pulled', async () => {
        const { error, ms } = await refused(openRequest({ image: 'busybox:no-such-tag' }), { pull: 'never' });
        expect(error.code).toBe('ImagePull');
        expect(error.message).toContain('busybox:no-such-tag');
        expect(ms).toBeLessThan(60_000);
      });

      it.concurrent('ends within about a minute with what the registry or the road there said', async () => {
        const { error, ms } = await refused(
          openRequest({
            image: 'registry.invalid/no/such:1',
            limits: { ...openRequest().limits, readyMs: 85_000 },
          }),
        );
        expect(error.code).toBe('ImagePull');
        expect(error.message).toContain('registry.invalid');
        expect(ms).toBeLessThan(80_000);
      });
    });
  });
}
