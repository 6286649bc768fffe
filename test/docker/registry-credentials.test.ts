import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { messageOf } from '../../src/base/errors.ts';
import { type DockerConfig, readDockerConfig } from '../../src/engine/docker-config.ts';
import { parseImageName } from '../../src/engine/image-name.ts';
import { registryAuth } from '../../src/engine/registry-credentials.ts';

const secret = randomBytes(12).toString('hex');
const never = new AbortController().signal;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'knotless-auth-'));
  await helper('echo', `read server; printf '{"Username":"%s","Secret":"${secret}"}' "$1 $server"`);
  await helper('token', `printf '{"Username":"<token>","Secret":"${secret}"}'`);
  await helper('empty', 'echo credentials not found in native keychain; exit 1');
  await helper('broken', `echo ${secret}; echo the keychain is locked >&2; exit 1`);
  await helper('garbled', `echo not json ${secret}`);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function helper(name: string, script: string): Promise<void> {
  const file = join(folder, `docker-credential-${name}`);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
}

async function login(image: string, config: DockerConfig): Promise<unknown> {
  const environment = { PATH: [folder, process.env.PATH].join(delimiter) };
  const header = await registryAuth(parseImageName(image).registry, { config, environment }, never);
  return header === undefined ? undefined : JSON.parse(Buffer.from(header, 'base64url').toString());
}

const auth = Buffer.from(`user:${secret}:x`).toString('base64');

it.each([
  ['busybox', 'docker.io', 'busybox', 'latest'],
  ['team/app:1', 'docker.io', 'team/app', '1'],
  ['localhost/app', 'localhost', 'localhost/app', 'latest'],
  ['r.example:5000/a/b:2', 'r.example:5000', 'r.example:5000/a/b', '2'],
  [`r.example/a:2@sha256:${'0'.repeat(64)}`, 'r.example', 'r.example/a', `sha256:${'0'.repeat(64)}`],
])('reads the image name %s as docker does', (image, registry, name, tagOrDigest) => {
  expect(parseImageName(image)).toEqual({ registry, name, tagOrDigest });
});

it('takes the credentials of the registry that the image is from, and of no other', async () => {
  const config = { auths: { 'r.example': { auth }, 'https://index.docker.io/v1/': { auth } } };
  expect(await login('r.example/app', config)).toEqual({
    username: 'user',
    password: `${secret}:x`,
    serveraddress: 'r.example',
  });
  expect(await login('busybox', config)).toMatchObject({ serveraddress: 'https://index.docker.io/v1/' });
  expect(await login('other.example/app', config)).toBeUndefined();
  expect(await login('r.example.evil.example/app', config)).toBeUndefined();
});

it('reads entries with a scheme and a path, and tokens', async () => {
  const config = { auths: { 'https://r.example/v1/': { identitytoken: secret } } };
  expect(await login('r.example/app', config)).toEqual({ identitytoken: secret, serveraddress: 'r.example' });
});

it('asks a helper by its standard input, the registry’s own before the store of all', async () => {
  const config = { credsStore: 'empty', credHelpers: { 'r.example': 'echo', 't.example': 'token' } };
  expect(await login('r.example/app', config)).toMatchObject({ username: 'get r.example', password: secret });
  expect(await login('t.example/app', config)).toMatchObject({ identitytoken: secret });
  expect(await login('busybox', config)).toBeUndefined();
});

it.each(['broken', 'garbled', 'missing'])(
  'tells of a helper that is %s without what it said',
  async (name) => {
    const failed = await login('busybox', { credsStore: name }).catch((error: unknown) => error);
    expect(messageOf(failed)).toContain(`docker-credential-${name}`);
    expect(messageOf(failed)).not.toContain(secret);
  },
);

it('tells of a configuration that is no JSON without what is in it', async () => {
  await writeFile(join(folder, 'config.json'), `{"auths": ${secret}`);
  const failed = await readDockerConfig(folder).catch((error: unknown) => error);
  expect(messageOf(failed)).toContain('is no JSON');
  expect(messageOf(failed)).not.toContain(secret);
  expect(await readDockerConfig(join(folder, 'none'))).toEqual({});
});
