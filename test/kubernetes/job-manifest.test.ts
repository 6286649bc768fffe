import { describe, expect, test } from 'vitest';
import { jobManifest, mounts } from '../../src/executor/kubernetes/job-manifest.ts';
import { networkPolicy } from '../../src/executor/kubernetes/network-policy.ts';
import { defaultPodSettings, type PodSettings } from '../../src/executor/kubernetes/pod-settings.ts';
import { openRequest } from './requests.ts';

const manifest = (settings: Partial<PodSettings> = {}, request = openRequest()) =>
  jobManifest(request, { ...defaultPodSettings, ...settings }, 'ci');
const podOf = (job = manifest()) => job.spec?.template.spec;
const containerOf = (job = manifest()) => podOf(job)?.containers[0];

describe('the Job of a run', () => {
  test('never makes a second pod, and ends itself when nobody does', () => {
    expect(manifest().spec).toMatchObject({
      backoffLimit: 0,
      podReplacementPolicy: 'Failed',
      activeDeadlineSeconds: 900 + 21_600 + 600 + 600,
      ttlSecondsAfterFinished: 300,
    });
    expect(podOf()).toMatchObject({ restartPolicy: 'Never' });
  });

  test('gives the steps no token, no service links, no more privileges', () => {
    expect(podOf()).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(containerOf()?.securityContext).toEqual({ allowPrivilegeEscalation: false });
  });

  test('keeps the exact texts in annotations and digests in labels', () => {
    const { annotations, labels } = manifest().metadata ?? {};
    expect(annotations).toMatchObject({
      'knotless-runner-k8s/run-name': 'My build: main!',
      'knotless-runner-k8s/runner': 'did:plc:abc123',
      'knotless-runner-k8s/run-id': 'a1b2c3',
      'knotless-runner-k8s/secret-names': 'PASSWORD,TOKEN',
    });
    for (const value of Object.values(labels ?? {})) expect(value).toMatch(/^[\w.-]{1,63}$/);
  });

  test('asks that no autoscaler moves it', () => {
    expect(manifest().spec?.template.metadata?.annotations).toMatchObject({
      'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
      'karpenter.sh/do-not-disrupt': 'true',
    });
  });

  test('survives the expansion of $(NAME) and $$ that Kubernetes does with a command', () => {
    const expanded = (containerOf()?.command ?? []).map((text) => text.replaceAll('$$', '$'));
    expect(expanded[2]).toContain('kill -s "$2" -- "-$pid"');
    expect(expanded[2]).toContain('echo $$ 2>/dev/null');
    expect(containerOf()?.command?.[2]).not.toMatch(/(^|[^$])(\$\$)*\$\(/);
  });

  test('has each volume once, and one in memory', () => {
    expect(podOf()?.volumes?.filter(({ emptyDir }) => emptyDir?.medium === 'Memory')).toHaveLength(1);
    expect(containerOf()?.volumeMounts).toHaveLength(mounts.length);
  });

  test('with --keep has no lease and no TTL, but still the deadline', () => {
    const kept = manifest({}, openRequest({ keep: true }));
    expect(kept.spec?.ttlSecondsAfterFinished).toBeUndefined();
    expect(kept.spec?.activeDeadlineSeconds).toBeGreaterThan(0);
    expect(containerOf(kept)?.command?.at(-1)).toBe('0');
    expect(containerOf()?.command?.at(-1)).toBe('600');
  });

  test('sets memory as request and limit, and cpu as a request only', () => {
    expect(containerOf(manifest({ cpu: '500m', memory: '1Gi' }))?.resources).toEqual({
      requests: { cpu: '500m', memory: '1Gi' },
      limits: { memory: '1Gi' },
    });
    expect(containerOf()?.resources).toEqual({ requests: {}, limits: {} });
  });

  test('meets PodSecurity restricted when asked to', () => {
    const restricted = manifest({ profile: 'restricted' });
    expect(podOf(restricted)?.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65532 });
    expect(containerOf(restricted)?.securityContext).toMatchObject({ capabilities: { drop: ['ALL'] } });
    const own = manifest({ profile: 'restricted', user: { uid: 1000, gid: 2000 } });
    expect(podOf(own)?.securityContext).toMatchObject({ runAsUser: 1000, runAsGroup: 2000 });
  });
});

describe('the NetworkPolicy of a run', () => {
  const policy = (network: 'isolated' | 'none') =>
    networkPolicy(openRequest().run, 'ci', network, { name: 'pod-1', uid: 'u1' });

  test('isolated lets nothing in, and everything out but the metadata address', () => {
    expect(policy('isolated').spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'], ingress: [] });
    expect(JSON.stringify(policy('isolated').spec?.egress)).toContain('169.254.169.254/32');
  });

  test('none lets nothing out either', () => {
    expect(policy('none').spec).toMatchObject({ ingress: [], egress: [] });
  });

  test('belongs to the pod, so that it never goes before it', () => {
    expect(policy('none').metadata?.ownerReferences).toMatchObject([
      { kind: 'Pod', name: 'pod-1', uid: 'u1' },
    ]);
  });
});
