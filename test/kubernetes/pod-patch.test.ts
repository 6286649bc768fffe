import { describe, expect, test } from 'vitest';
import { jobManifest } from '../../src/executor/kubernetes/job-manifest.ts';
import { defaultPodSettings } from '../../src/executor/kubernetes/pod-settings.ts';
import { openRequest } from './requests.ts';

const patched = (patch: Record<string, unknown>) =>
  jobManifest(openRequest(), { ...defaultPodSettings, patch }, 'ci').spec?.template.spec;

describe('--pod-patch', () => {
  test('merges containers by name and adds others', () => {
    const spec = patched({
      containers: [
        { name: 'run', resources: { limits: { 'nvidia.com/gpu': '1' } }, env: [{ name: 'A', value: '1' }] },
        { name: 'db', image: 'postgres:17' },
      ],
    });
    expect(spec?.containers.map(({ name }) => name)).toEqual(['run', 'db']);
    expect(spec?.containers[0]).toMatchObject({
      image: 'busybox:1.36',
      resources: { limits: { 'nvidia.com/gpu': '1' } },
    });
  });

  test('merges volumes and mounts by name and path, and keeps ours', () => {
    const spec = patched({
      volumes: [{ name: 'cache', hostPath: { path: '/cache' } }],
      containers: [{ name: 'run', volumeMounts: [{ name: 'cache', mountPath: '/cache' }] }],
    });
    expect(spec?.volumes?.map(({ name }) => name)).toContain('knotless-work');
    expect(spec?.containers[0]?.volumeMounts?.at(-1)).toEqual({ name: 'cache', mountPath: '/cache' });
  });

  test('null removes, $patch: delete removes an element, atomic lists are replaced', () => {
    const spec = patched({ enableServiceLinks: null, tolerations: [{ key: 'a', operator: 'Exists' }] });
    expect(spec).not.toHaveProperty('enableServiceLinks');
    expect(spec?.tolerations).toEqual([{ key: 'a', operator: 'Exists' }]);
    expect(patched({ volumes: [{ name: 'nothing', $patch: 'delete' }] })?.volumes).toHaveLength(6);
  });

  test.each([
    [{ restartPolicy: 'Always' }],
    [{ $patch: 'replace' }],
    [{ containers: [{ name: 'run', command: ['sleep'] }] }],
    [{ containers: [{ name: 'run', args: ['x'] }] }],
    [{ containers: [{ name: 'run', image: 'x' }] }],
    [{ containers: [{ name: 'run', $patch: 'delete' }] }],
    [{ containers: null }],
    [{ volumes: null }],
    [{ volumes: [{ name: 'knotless-work', hostPath: { path: '/' } }] }],
    [{ containers: [{ name: 'run', volumeMounts: [{ name: 'x', mountPath: '/work/' }] }] }],
    [{ containers: [{ name: 'run', volumeMounts: null }] }],
    [{ containers: [{ image: 'nameless' }] }],
  ])('%j is refused', (patch) => {
    expect(() => patched(patch)).toThrow(
      expect.objectContaining({ code: 'BadInput', message: expect.stringContaining('--pod-patch') }),
    );
  });
});
