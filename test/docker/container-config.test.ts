import { describe, expect, it } from 'vitest';
import { containerConfig } from '../../src/executor/docker/container-config.ts';
import {
  type ContainerSettings,
  defaultContainerSettings,
} from '../../src/executor/docker/container-settings.ts';
import type { OpenRequest } from '../../src/executor/executor.ts';

const request: OpenRequest = {
  run: { id: 'id-1', name: 'My "build"!', runner: 'did:plc:x' },
  image: 'busybox:1.36',
  secretNames: ['TOKEN', 'KEY'],
  limits: { readyMs: 1, stepsMs: 1, orphanMs: 600_000, graceMs: 1 },
  keep: false,
};

const made = (settings: Partial<ContainerSettings> = {}, changes: Partial<OpenRequest> = {}) =>
  containerConfig({ ...request, ...changes }, { ...defaultContainerSettings, ...settings }, 'NETWORK');

describe('the container of a run', () => {
  it('gains no privileges, and mounts nothing of the machine', () => {
    const text = JSON.stringify(made());
    expect(made().HostConfig.SecurityOpt).toEqual(['no-new-privileges']);
    expect(text).not.toMatch(/docker\.sock|Binds|"Privileged"|CapAdd|PortBindings/);
  });

  it('has all capabilities dropped, and a user that is not root, in the restricted profile', () => {
    expect(made({ profile: 'restricted' })).toMatchObject({
      User: '65532:65532',
      HostConfig: { CapDrop: ['ALL'] },
    });
    expect(made()).not.toHaveProperty('User');
    expect(made({ profile: 'restricted', user: { uid: 7, gid: undefined } }).User).toBe('7');
    expect(made({ user: { uid: 7, gid: 8 } }).User).toBe('7:8');
  });

  it('has the limits that were given, without swap, and always one of processes', () => {
    expect(made().HostConfig).not.toHaveProperty('Memory');
    expect(made().HostConfig.PidsLimit).toBeGreaterThan(0);
    expect(made({ memoryBytes: 2 ** 20, cpus: 0.5 }).HostConfig).toMatchObject({
      Memory: 2 ** 20,
      MemorySwap: 2 ** 20,
      NanoCpus: 5e8,
    });
  });

  it('tells whose it is in exact words, and names secrets without their values', () => {
    expect(made().Labels).toEqual({
      'app.kubernetes.io/managed-by': 'knotless-runner-k8s',
      'knotless-runner-k8s/run-id': 'id-1',
      'knotless-runner-k8s/run-name': 'My "build"!',
      'knotless-runner-k8s/runner': 'did:plc:x',
      'knotless-runner-k8s/secret-names': 'KEY,TOKEN',
    });
    expect(made({}, { keep: true }).Labels).toHaveProperty('knotless-runner-k8s/kept');
  });

  it('runs the boot program with its lease, whatever the image would run', () => {
    expect(made().Entrypoint.at(-1)).toBe('600');
    expect(made({}, { keep: true }).Entrypoint.at(-1)).toBe('0');
    expect(made().Cmd).toEqual([]);
    expect(made().Healthcheck).toEqual({ Test: ['NONE'] });
  });
});
