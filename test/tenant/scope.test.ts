import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { runCli } from '../../src/cli/application.ts';
import { testContext } from '../cli/test-context.ts';
import { type TestCluster, testCluster } from '../embedded/fixture.ts';
import { apiServer, json } from '../kube/fixtures/api-server.ts';
import { base64, kubeconfig } from '../kube/fixtures/kubeconfig.ts';
import { testAuthority } from '../kube/fixtures/test-authority.ts';

const managedBy = 'app.kubernetes.io/managed-by';
const ours = { [managedBy]: 'knotless-runner-k8s' };
const rbacOf = (namespace: string): string => `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
const userSchema = z.object({ users: z.tuple([z.object({ user: z.object({ token: z.string() }) })]) });

let it: TestCluster;
let folder: string;
let namespaces = 0;
let namespace: string;
let file: string;
/** Everything that any command printed here. */
const printed: string[] = [];
const tokens = new Set<string>();

beforeAll(async () => {
  it = await testCluster({ longestTokenSeconds: 48 * 3600 });
  folder = await mkdtemp(join(tmpdir(), 'scope-test-'));
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  namespaces += 1;
  namespace = `team-${namespaces}`;
  file = join(folder, `${namespace}.yaml`);
  await it.call('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
});

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function scope(
  words: readonly string[] = [],
  environment: Record<string, string> = {},
): Promise<Ended> {
  const { context, stdout, stderr } = testContext(environment, folder);
  const road = ['--kubeconfig', it.cluster.kubeconfigPath, '-n', namespace];
  await runCli(['kubeconfig', 'scope', ...road, '-o', file, '-v', ...words], context);
  printed.push(stdout(), stderr());
  const text = await readFile(file, 'utf8').catch(() => '');
  const found = userSchema.safeParse(text === '' ? null : parse(text));
  if (found.success) tokens.add(found.data.users[0].user.token);
  return { code: context.process.exitCode ?? 0, stdout: stdout(), stderr: stderr() };
}

const read = async (kind: 'roles' | 'rolebindings'): Promise<unknown> =>
  (await it.call('GET', `${rbacOf(namespace)}/${kind}/knotless-runner`)).json;

const account = (): string => `/api/v1/namespaces/${namespace}/serviceaccounts/knotless-runner`;

test('done again it changes nothing, and gives a new token', async () => {
  expect(await scope()).toMatchObject({ code: 0, stderr: expect.stringContaining('the Role') });
  const [role, binding, first] = [
    await read('roles'),
    await read('rolebindings'),
    await readFile(file, 'utf8'),
  ];
  const again = await scope();
  expect(again.code).toBe(0);
  expect(again.stderr.match(/there already/g)).toHaveLength(3);
  expect([await read('roles'), await read('rolebindings')]).toEqual([role, binding]);
  expect(first).toContain(namespace);
  expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([]);
});

test('a Role of ours that gives more or less is mended, and so is its binding', async () => {
  await scope();
  const wide = { rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['*'] }] };
  const subjects = [{ kind: 'Group', name: 'system:authenticated', apiGroup: 'rbac.authorization.k8s.io' }];
  const before = await read('roles');
  await it.call('PATCH', `${rbacOf(namespace)}/roles/knotless-runner`, wide);
  await it.call('PATCH', `${rbacOf(namespace)}/rolebindings/knotless-runner`, { subjects });
  const mended = await scope();
  expect(mended.code).toBe(0);
  expect(mended.stderr.match(/it differed, and was changed/g)).toHaveLength(2);
  const rules = z.object({ rules: z.unknown() });
  expect(rules.parse(await read('roles'))).toEqual(rules.parse(before));
  expect(await read('rolebindings')).toMatchObject({
    subjects: [{ kind: 'ServiceAccount', name: 'knotless-runner', namespace }],
  });
});

test('a binding of ours to another Role is made anew, since it cannot be changed', async () => {
  await it.call('POST', `${rbacOf(namespace)}/rolebindings`, {
    metadata: { name: 'knotless-runner', labels: ours },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
    subjects: [{ kind: 'ServiceAccount', name: 'knotless-runner', namespace }],
  });
  expect((await scope()).code).toBe(0);
  expect(await read('rolebindings')).toMatchObject({ roleRef: { kind: 'Role', name: 'knotless-runner' } });
});

test('what somebody else made is refused before anything is changed, with the way to hand it over', async () => {
  await it.call('POST', `${rbacOf(namespace)}/roles`, { metadata: { name: 'knotless-runner' }, rules: [] });
  const hand = `kubectl label role knotless-runner -n ${namespace} --overwrite ${managedBy}=knotless-runner-k8s`;
  expect(await scope()).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(hand) });
  expect((await it.call('GET', account())).code).toBe(404);
  await expect(stat(file)).rejects.toThrow('ENOENT');
  expect((await scope(['--service-account', 'other'])).code).toBe(0);
});

test('nobody else’s account is renewed or revoked', async () => {
  await it.call('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, {
    metadata: { name: 'knotless-runner' },
  });
  for (const flag of ['--renew', '--revoke'])
    expect(await scope([flag])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did not make it'),
    });
  expect((await it.call('GET', account())).code).toBe(200);
});

test('a token that can do more than its Role is not handed out', async () => {
  await it.call('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', {
    metadata: { name: 'node-reader' },
    rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list'] }],
  });
  await it.call('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'node-reader' },
    roleRef: { kind: 'ClusterRole', name: 'node-reader' },
    subjects: [{ kind: 'Group', name: `system:serviceaccounts:${namespace}` }],
  });
  expect(await scope()).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringMatching(/not yet, tries for 15 s: .*\n(.*\n)*.*can read nodes/),
  });
  await expect(stat(file)).rejects.toThrow('ENOENT');
  expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([]);
});

test('a token that ends sooner than was asked for is told of', async () => {
  const { code, stderr } = await scope(['--duration', '72h']);
  expect(code).toBe(0);
  expect(stderr).toContain(
    'a token of 72 h 0 min was asked for, and the cluster gives none of more than 48 h 0 min',
  );
  expect(stderr).toContain('in 47 h 59 min');
});

test('a missing namespace is named, and made where that is asked for', async () => {
  await it.call('DELETE', `/api/v1/namespaces/${namespace}`);
  expect(await scope()).toMatchObject({ code: 2, stderr: expect.stringContaining('--create-namespace') });
  expect((await scope(['--create-namespace'])).code).toBe(0);
});

test('--renew touches nothing but the token, and wants an account that is there', async () => {
  expect(await scope(['--renew'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('leave --renew away'),
  });
  await scope();
  await it.call('PATCH', `${rbacOf(namespace)}/roles/knotless-runner`, { metadata: { labels: { a: 'b' } } });
  const role = await read('roles');
  expect((await scope(['--renew'])).code).toBe(0);
  expect(await read('roles')).toEqual(role);
});

test('--revoke leaves what is not ours', async () => {
  await scope();
  await it.call('PATCH', `${rbacOf(namespace)}/roles/knotless-runner`, {
    metadata: { labels: { [managedBy]: 'helm' } },
  });
  expect(await scope(['--revoke'])).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/Role \S+: left, for this program did not make it/),
  });
  expect((await it.call('GET', account())).code).toBe(404);
  expect(await read('roles')).toMatchObject({ kind: 'Role' });
});

describe('the file', () => {
  test('is by default where the tenant’s kubeconfigs are, in folders of the owner alone', async () => {
    const { context, stdout } = testContext({}, folder);
    const road = ['--kubeconfig', it.cluster.kubeconfigPath, '-n', namespace];
    await runCli(['kubeconfig', 'scope', ...road], context);
    const path = join(folder, '.tmp/knotless-runner-k8s/tenant/knotless-runner.kubeconfig.yaml');
    expect(stdout()).toBe(`${path}\n`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700);
  });

  test('replaces one of the same account only', async () => {
    const admin = await readFile(it.cluster.kubeconfigPath, 'utf8');
    await writeFile(file, admin);
    expect(await scope()).toMatchObject({ code: 2, stderr: expect.stringContaining('is left alone') });
    expect(await readFile(file, 'utf8')).toBe(admin);
    expect((await it.call('GET', account())).code).toBe(404);
    await writeFile(file, '\n');
    await chmod(file, 0o644);
    expect((await scope()).code).toBe(0);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await scope(['--service-account', 'second'])).toMatchObject({ code: 2 });
  });

  test.each([
    ['-', 'must not be printed'],
    ['json', 'is a format'],
  ])('%s is no name for it', async (name, message) => {
    const { context, stderr } = testContext({ KNOTLESS_K8S_OUTPUT: name }, folder);
    await runCli(['kubeconfig', 'scope', '--kubeconfig', it.cluster.kubeconfigPath], context);
    expect({ code: context.process.exitCode, text: stderr() }).toMatchObject({
      code: 2,
      text: expect.stringContaining(message),
    });
  });

  test('that cannot be written is told before anything is made', async () => {
    await mkdir(file);
    expect(await scope()).toMatchObject({ code: 2, stderr: expect.stringContaining('is a folder') });
    expect((await it.call('GET', account())).code).toBe(404);
  });
});

test.each([
  [['--duration', '5m'], '10m at least'],
  [['--renew', '--revoke'], 'exclude each other'],
  [['--renew', '--create-namespace'], 'has no effect'],
  [['--revoke', '--duration', '2h'], 'has no effect'],
  [['--service-account', 'Not A Name'], 'cannot be the name'],
])('%j is refused', async (words, message) => {
  expect(await scope(words)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});

test('an empty token is an error, and no file is written', async () => {
  const authority = await testAuthority();
  const pair = await authority.issue(['127.0.0.1']);
  await using server = await apiServer({
    pair,
    answer: ({ method, url }, response) => {
      if (method === 'GET') json(response, 200, { metadata: { uid: 'u', labels: ours } });
      else if (url.endsWith('/token')) {
        json(response, 201, { status: { token: '', expirationTimestamp: '2030-01-01T00:00:00Z' } });
      } else json(response, 201, {});
    },
  });
  const admin = join(folder, 'admin.yaml');
  const cluster = {
    server: `https://127.0.0.1:${server.port}`,
    'certificate-authority-data': base64(authority.pem),
  };
  await writeFile(admin, kubeconfig(cluster, { token: 'made-up' }), { mode: 0o600 });
  const { context, stderr } = testContext({}, folder);
  await runCli(['kubeconfig', 'scope', '--renew', '--kubeconfig', admin, '-o', file], context);
  expect(stderr()).toContain('an empty token');
  expect(context.process.exitCode).toBe(3);
  await expect(stat(file)).rejects.toThrow('ENOENT');
});

test('the script takes the admin’s kubeconfig from its variable, and writes where the seed did', async () => {
  const script = fileURLToPath(new URL('../../scripts/scoped-kubeconfig.sh', import.meta.url));
  const road = { PATH: process.env.PATH ?? '', HOME: folder };
  const without = await promisify(execFile)(script, [], { env: road }).catch((error: Error) => error.message);
  expect(without).toContain('ADMIN_KUBECONFIG');
  const env = { ...road, ADMIN_KUBECONFIG: it.cluster.kubeconfigPath };
  const home = await mkdtemp(join(folder, 'home-'));
  const { stdout } = await promisify(execFile)(script, ['-n', namespace], { env: { ...env, HOME: home } });
  const path = join(home, '.tmp/knotless-runner-k8s/tenant/knotless-runner.kubeconfig.yaml');
  expect(stdout).toBe(`${path}\n`);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('no token was in any output', () => {
  expect(tokens.size).toBeGreaterThan(5);
  for (const token of tokens) expect(printed.join('')).not.toContain(token);
});
