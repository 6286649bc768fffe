import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engineUrl, isReadableOnTheWay, parseEngineUrl } from '../../src/engine/engine-address.ts';
import { findEngine } from '../../src/engine/find-engine.ts';

const pem = (name: string): string => `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`;

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'knotless-docker-'));
  await context('far', { Host: 'ssh://ci@build.example:2222' });
  await context('tls', { Host: 'tcp://build.example:2376' }, ['ca.pem', 'cert.pem', 'key.pem']);
  await context('blind', { Host: 'tcp://build.example:2376', SkipTLSVerify: true });
});
afterAll(() => rm(home, { recursive: true, force: true }));

async function context(name: string, docker: object, files: readonly string[] = []): Promise<void> {
  const id = createHash('sha256').update(name).digest('hex');
  const meta = join(home, '.docker/contexts/meta', id);
  await mkdir(meta, { recursive: true });
  await writeFile(
    join(meta, 'meta.json'),
    JSON.stringify({ Name: name, Metadata: {}, Endpoints: { docker } }),
  );
  const tls = join(home, '.docker/contexts/tls', id, 'docker');
  await mkdir(tls, { recursive: true });
  for (const file of files) await writeFile(join(tls, file), pem(file));
}

async function found(environment: Readonly<Record<string, string>> = {}, engine?: string): Promise<string[]> {
  return (await findEngine({ environment, homeFolder: home, engine })).map(engineUrl);
}

describe('the engine is found as the docker CLI finds it', () => {
  it('by --engine before DOCKER_HOST, and by that before any context', async () => {
    const environment = { DOCKER_HOST: 'unix:///h.sock', DOCKER_CONTEXT: 'far' };
    expect(await found(environment, 'unix:///e.sock')).toEqual(['unix:///e.sock']);
    expect(await found(environment)).toEqual(['unix:///h.sock']);
    expect(await found({ DOCKER_CONTEXT: 'far' })).toEqual(['ssh://ci@build.example:2222']);
  });

  it('by the current context of the configuration, with its TLS files', async () => {
    const config = join(home, '.docker/config.json');
    await writeFile(config, JSON.stringify({ currentContext: 'tls' }));
    try {
      const [address] = await findEngine({ environment: {}, homeFolder: home, engine: undefined });
      expect(address).toMatchObject({
        kind: 'tcp',
        host: 'build.example',
        tls: { ca: pem('ca.pem'), certificate: pem('cert.pem'), key: pem('key.pem') },
      });
      expect(await found({ DOCKER_CONTEXT: 'far' })).toEqual(['ssh://ci@build.example:2222']);
      expect((await found({ DOCKER_CONTEXT: 'default' })).length).toBeGreaterThan(1);
    } finally {
      await rm(config);
    }
  });

  it('by the usual sockets where nothing says, Podman’s last', async () => {
    expect(await found({ XDG_RUNTIME_DIR: '/run/user/7' })).toEqual([
      'unix:///var/run/docker.sock',
      'unix:///run/user/7/docker.sock',
      `unix://${home}/.docker/run/docker.sock`,
      'unix:///run/user/7/podman/podman.sock',
      'unix:///run/podman/podman.sock',
    ]);
  });

  it('over TLS where DOCKER_TLS_VERIFY asks for it, with the files of DOCKER_CERT_PATH', async () => {
    const certificates = join(home, 'certs');
    await mkdir(certificates);
    await writeFile(join(certificates, 'ca.pem'), pem('own ca'));
    const environment = {
      DOCKER_HOST: 'tcp://h.example',
      DOCKER_TLS_VERIFY: '1',
      DOCKER_CERT_PATH: certificates,
    };
    const [address] = await findEngine({ environment, homeFolder: home, engine: undefined });
    expect(address).toMatchObject({ port: 2376, tls: { ca: pem('own ca'), certificate: undefined } });
    expect(parseEngineUrl('tcp://h.example', undefined)).toMatchObject({ port: 2375, tls: undefined });
  });

  it.each([
    ['tcp://h.example:2375', true],
    ['tcp://127.0.0.1:2375', false],
    ['https://h.example', false],
    ['ssh://h.example', false],
    ['unix:///s', false],
  ])('and what %s is told can be read on the way: %s', (url, readable) => {
    expect(isReadableOnTheWay(parseEngineUrl(url, undefined))).toBe(readable);
  });

  it('and refuses a context that is not there, or that checks no certificate', async () => {
    await expect(found({ DOCKER_CONTEXT: 'none' })).rejects.toThrow(/"none" is not there/);
    await expect(found({ DOCKER_CONTEXT: 'blind' })).rejects.toThrow(/does not check/);
  });

  it.each([
    ['tcp://', /no host|no address/],
    ['npipe:////./pipe/docker_engine', /Windows/],
    ['/var/run/docker.sock', /none of the schemes/],
    ['unix://docker.sock', /begin with a slash/],
    ['ssh://-oProxyCommand=x@h', /begins with -/],
    ['tcp://user:hunter2@h:1', /takes no password/],
    ['ssh://user:hunter2@h', /password/],
  ])('and refuses %s, without repeating a password', async (url, message) => {
    const refused = expect(found({}, url)).rejects;
    await refused.toThrow(message);
    await refused.not.toThrow(/hunter2/);
  });
});
