import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../src/cli/application.ts';
import { testContext } from '../cli/test-context.ts';
import { type Access, readAccess, type TestCluster, testCluster } from '../embedded/fixture.ts';
import { type ApiServer, apiServer, json } from '../kube/fixtures/api-server.ts';
import { type ConnectProxy, connectProxy } from '../kube/fixtures/connect-proxy.ts';
import { base64, kubeconfig } from '../kube/fixtures/kubeconfig.ts';
import { type TestAuthority, testAuthority } from '../kube/fixtures/test-authority.ts';

let it: TestCluster;
let admin: Access;
let folder: string;
/** A front of the cluster that takes a client certificate for the admin. */
let front: ApiServer;
let authority: TestAuthority;
let proxy: ConnectProxy;

beforeAll(async () => {
  it = await testCluster();
  admin = await readAccess(it.cluster.kubeconfigPath);
  folder = await mkdtemp(join(tmpdir(), 'scope-admins-'));
  authority = await testAuthority();
  front = await apiServer({
    pair: await authority.issue(['api.internal']),
    clientAuthority: authority.pem,
    certificateOptional: true,
    answer: async ({ method, url, body, headers, peer }, response) => {
      const token = headers.authorization?.replace('Bearer ', '') ?? (peer ? admin.token : '');
      const answer = await it.call(method, url, body === '' ? undefined : JSON.parse(body), token);
      json(response, answer.code, answer.json);
    },
  });
  proxy = await connectProxy({ user: 'ada:pass-4711', port: Number(new URL(admin.server).port) });
});
afterAll(async () => {
  await Promise.all([proxy, front, it].map((one) => one[Symbol.asyncDispose]()));
  await rm(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function command(words: readonly string[]): Promise<Ended> {
  const { context, stdout, stderr } = testContext({ PATH: process.env.PATH ?? '' }, folder);
  await runCli(words, context);
  return { code: context.process.exitCode ?? 0, stdout: stdout(), stderr: stderr() };
}

async function scopeWith(name: string, cluster: object, user: object): Promise<Ended & { text: string }> {
  const file = join(folder, `${name}.admin.yaml`);
  await writeFile(file, kubeconfig(cluster, user), { mode: 0o600 });
  const output = join(folder, `${name}.yaml`);
  const ended = await command(['kubeconfig', 'scope', '--kubeconfig', file, '-o', output, '-v']);
  return { ...ended, text: await readFile(output, 'utf8').catch(() => '') };
}

const works = (name: string): Promise<Ended> => command(['ls', '--kubeconfig', join(folder, `${name}.yaml`)]);

describe('an admin’s kubeconfig with', () => {
  const direct = (): object => ({ server: admin.server, 'certificate-authority-data': base64(admin.ca) });

  test('a CA in a file: it is copied, so that the new one stands alone', async () => {
    await writeFile(join(folder, 'ca.pem'), admin.ca);
    const cluster = { server: admin.server, 'certificate-authority': 'ca.pem' };
    const { code, text } = await scopeWith('ca', cluster, { token: admin.token });
    expect(code).toBe(0);
    await rm(join(folder, 'ca.pem'));
    expect(text).not.toContain('ca.pem');
    expect(await works('ca')).toMatchObject({ code: 0 });
  });

  test('a credential plugin: nothing of it is in the new one', async () => {
    const plugin = join(folder, 'plugin');
    const credential = {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { token: admin.token },
    };
    await writeFile(plugin, `#!/bin/sh\ncat <<'E'\n${JSON.stringify(credential)}\nE\n`);
    await chmod(plugin, 0o700);
    const exec = { apiVersion: credential.apiVersion, command: './plugin', interactiveMode: 'Never' };
    const ended = await scopeWith('plugin', direct(), { exec });
    expect(ended.code).toBe(0);
    expect(JSON.stringify(ended)).not.toContain(admin.token);
    expect(ended.text).not.toContain('plugin:');
    expect(await works('plugin')).toMatchObject({ code: 0 });
  });

  test('no verification of the server: the same holds for the new one, and is said', async () => {
    const cluster = { server: admin.server, 'insecure-skip-tls-verify': true };
    const ended = await scopeWith('insecure', cluster, { token: admin.token });
    expect(ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('warning: the server is not verified'),
    });
    expect(ended.text).toContain('insecure-skip-tls-verify: true');
    expect(await works('insecure')).toMatchObject({ code: 0 });
  });

  test('a proxy that wants a password: the new one takes the same road, and the password is told nowhere', async () => {
    const cluster = { ...direct(), 'proxy-url': `http://ada:pass-4711@127.0.0.1:${proxy.port}` };
    const before = proxy.asked.length;
    const ended = await scopeWith('proxy', cluster, { token: admin.token });
    expect(ended.code).toBe(0);
    expect(ended.stdout + ended.stderr).not.toContain('pass-4711');
    const made = proxy.asked.length;
    expect(made).toBeGreaterThan(before);
    expect(await works('proxy')).toMatchObject({ code: 0 });
    expect(proxy.asked.length).toBeGreaterThan(made);
  });

  test('a client certificate and another name of the server: the new one has the name and no certificate', async () => {
    const { certificate, key } = await authority.issue(['admin']);
    const cluster = {
      server: `https://127.0.0.1:${front.port}`,
      'tls-server-name': 'api.internal',
      'certificate-authority-data': base64(authority.pem),
    };
    const user = { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) };
    const { code, text } = await scopeWith('certificate', cluster, user);
    expect(code).toBe(0);
    expect(text).toContain('tls-server-name: api.internal');
    expect(text).not.toContain('client-');
    expect(await works('certificate')).toMatchObject({ code: 0 });
  });

  test('a server that is plain http: none is made', async () => {
    const ended = await scopeWith('plain', { server: 'http://127.0.0.1:1' }, { token: admin.token });
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('is not https://'), text: '' });
  });
});

describe('somebody who is no admin of the cluster', () => {
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';

  /** A kubeconfig of an account with these rules. */
  async function account(name: string, rules: readonly object[]): Promise<object> {
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await it.call('POST', accounts, { metadata: { name } });
    await it.call('POST', `${rbac}/roles`, { metadata: { name }, rules });
    await it.call('POST', `${rbac}/rolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
    });
    const { json: made } = await it.call('POST', `${accounts}/${name}/token`, {});
    return { token: /"token":"([^"]+)"/.exec(JSON.stringify(made))?.[1] };
  }

  const makes = [
    {
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['roles', 'rolebindings'],
      verbs: ['get', 'create', 'patch', 'delete'], // and neither bind nor escalate
    },
    { apiGroups: [''], resources: ['serviceaccounts', 'serviceaccounts/token'], verbs: ['*'] },
  ];
  const direct = (): object => ({ server: admin.server, 'certificate-authority-data': base64(admin.ca) });

  test('and lacks a right of the Role is told which', async () => {
    const rules = [
      ...makes,
      { apiGroups: ['batch'], resources: ['jobs'], verbs: ['*'] },
      { apiGroups: [''], resources: ['pods', 'events'], verbs: ['*'] },
      { apiGroups: [''], resources: ['pods/exec'], verbs: ['create'] },
      { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: ['*'] },
    ];
    const name = ['--service-account', 'lesser'];
    const file = join(folder, 'lesser.admin.yaml');
    await writeFile(file, kubeconfig(direct(), await account('lacking', rules)), { mode: 0o600 });
    const road = ['kubeconfig', 'scope', '--kubeconfig', file, '-o', join(folder, 'lesser.yaml')];
    expect(await command([...road, ...name])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('he lacks get pods/exec in the namespace default'),
    });
    expect((await it.call('GET', '/api/v1/namespaces/default/serviceaccounts/lesser')).code).toBe(404);
  });

  test('and has all of them is enough', async () => {
    const rules = [
      ...makes,
      { apiGroups: ['batch'], resources: ['jobs'], verbs: ['*'] },
      { apiGroups: [''], resources: ['pods', 'pods/exec', 'events'], verbs: ['*'] },
      { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: ['*'] },
    ];
    const file = join(folder, 'owner.admin.yaml');
    await writeFile(file, kubeconfig(direct(), await account('owning', rules)), { mode: 0o600 });
    const road = ['kubeconfig', 'scope', '--kubeconfig', file, '-o', join(folder, 'owned.yaml')];
    expect(await command([...road, '--service-account', 'owned'])).toMatchObject({ code: 0 });
  });

  test('and may not make a Role is told so', async () => {
    const file = join(folder, 'none.admin.yaml');
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
    await writeFile(file, kubeconfig(direct(), await account('none', rules)), { mode: 0o600 });
    const ended = await command(['kubeconfig', 'scope', '--kubeconfig', file, '-o', join(folder, 'n.yaml')]);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toMatch(/forbids to get (serviceaccounts|roles|rolebindings)/);
  });
});
