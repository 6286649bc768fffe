import { stat } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { TestCluster } from './fixture.ts';
import { jobManifest, jobs, pods, testCluster } from './fixture.ts';

let it: TestCluster;
let token: string;
const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
const tokenSchema = z.looseObject({
  status: z.looseObject({ token: z.string(), expirationTimestamp: z.string() }),
});

beforeAll(async () => {
  it = await testCluster();
  await it.call('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'ci' } });
  await it.call('POST', `${rbac}/roles`, {
    metadata: { name: 'ci' },
    rules: [
      { apiGroups: ['batch'], resources: ['jobs'], verbs: ['create', 'get', 'delete'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
      { apiGroups: [''], resources: ['pods/exec'], verbs: ['get'] },
    ],
  });
  await it.call('POST', `${rbac}/rolebindings`, {
    metadata: { name: 'ci' },
    roleRef: { kind: 'Role', name: 'ci' },
    subjects: [{ kind: 'ServiceAccount', name: 'ci' }],
  });
  const made = await it.call('POST', '/api/v1/namespaces/default/serviceaccounts/ci/token', {
    spec: { expirationSeconds: 600 },
  });
  token = tokenSchema.parse(made.json).status.token;
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
});

test('the kubeconfig is its owner’s alone', async () => {
  expect((await stat(it.cluster.kubeconfigPath)).mode & 0o777).toBe(0o600);
});

test('nobody and a wrong token are told apart as the real API tells them', async () => {
  expect(await it.call('GET', '/api/v1/pods', undefined, '')).toMatchObject({
    code: 403,
    json: {
      message:
        'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" at the cluster scope',
      reason: 'Forbidden',
      details: { kind: 'pods' },
    },
  });
  expect(await it.call('GET', '/api/v1/pods', undefined, 'wrong')).toMatchObject({
    code: 401,
    json: { kind: 'Status', status: 'Failure', message: 'Unauthorized', reason: 'Unauthorized', code: 401 },
  });
  expect((await it.call('GET', '/version', undefined, '')).code).toBe(200);
});

test('a service account may do what its role says', async () => {
  expect((await it.call('POST', jobs, jobManifest('mine', { job: { suspend: true } }), token)).code).toBe(
    201,
  );
  expect((await it.call('GET', pods, undefined, token)).code).toBe(200);
  expect(await it.call('GET', '/api/v1/nodes', undefined, token)).toMatchObject({
    code: 403,
    json: {
      message:
        'nodes is forbidden: User "system:serviceaccount:default:ci" cannot list resource "nodes" in API group "" at the cluster scope',
    },
  });
  expect((await it.call('GET', '/apis/batch/v1/namespaces/kube-system/jobs/x', undefined, token)).code).toBe(
    403,
  );
});

test.each([
  ['create', 'batch', 'jobs', '', true],
  ['patch', 'batch', 'jobs', '', false],
  ['get', '', 'pods', 'exec', true],
  ['create', '', 'pods', 'exec', false],
])('a review of %s %s/%s %s says %s', async (verb, group, resource, subresource, allowed) => {
  const spec = { resourceAttributes: { verb, group, resource, subresource, namespace: 'default' } };
  const answer = await it.call(
    'POST',
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    { spec },
    token,
  );
  expect(answer).toMatchObject({ code: 201, json: { status: { allowed } } });
});

test('a rules review lists the rules', async () => {
  const answer = await it.call(
    'POST',
    '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
    { spec: { namespace: 'default' } },
    token,
  );
  expect(answer.json).toMatchObject({
    status: {
      resourceRules: [{ resources: ['jobs'] }, { resources: ['pods'] }, { resources: ['pods/exec'] }],
    },
  });
});

test('a token ends with its service account', async () => {
  await it.call('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'brief' } });
  const made = await it.call('POST', '/api/v1/namespaces/default/serviceaccounts/brief/token', {});
  const brief = tokenSchema.parse(made.json).status.token;
  expect((await it.call('GET', '/api', undefined, brief)).code).toBe(200);
  await it.call('DELETE', '/api/v1/namespaces/default/serviceaccounts/brief');
  expect((await it.call('GET', '/api', undefined, brief)).code).toBe(401);
});

describe('who gives rights', () => {
  const author = async (
    method: string,
    path: string,
    body: object,
  ): Promise<{ code: number; text: string }> => {
    const { code, text } = await it.call(method, path, body, token);
    return { code, text };
  };
  const rule = (verbs: readonly string[]): object => ({
    rules: [{ apiGroups: ['batch'], resources: ['jobs'], verbs }],
  });

  beforeAll(async () => {
    await it.call('POST', `${rbac}/roles`, {
      metadata: { name: 'gives' },
      rules: [{ apiGroups: ['rbac.authorization.k8s.io'], resources: ['*'], verbs: ['create', 'patch'] }],
    });
    await it.call('POST', `${rbac}/rolebindings`, {
      metadata: { name: 'gives' },
      roleRef: { kind: 'Role', name: 'gives' },
      subjects: [{ kind: 'ServiceAccount', name: 'ci' }],
    });
    await it.call('POST', `${rbac}/roles`, { metadata: { name: 'wide' }, ...rule(['*']) });
  });

  test('can give what it has itself, and nothing more', async () => {
    const create = (name: string, verbs: readonly string[]): ReturnType<typeof author> =>
      author('POST', `${rbac}/roles`, { metadata: { name }, ...rule(verbs) });
    expect(await create('same', ['create', 'delete'])).toMatchObject({ code: 201 });
    expect(await create('more', ['create', 'patch'])).toMatchObject({
      code: 403,
      text: expect.stringContaining(
        'user \\"system:serviceaccount:default:ci\\" (groups=[\\"system:serviceaccounts\\" \\"system:serviceaccounts:default\\" \\"system:authenticated\\"]) is attempting to grant RBAC permissions not currently held:\\n{APIGroups:[\\"batch\\"], Resources:[\\"jobs\\"], Verbs:[\\"create\\" \\"patch\\"]}',
      ),
    });
    expect(await author('PATCH', `${rbac}/roles/same`, rule(['*']))).toMatchObject({ code: 403 });
    const subjects = [{ kind: 'ServiceAccount', name: 'ci' }];
    const bind = (name: string): ReturnType<typeof author> =>
      author('POST', `${rbac}/rolebindings`, {
        metadata: { name },
        roleRef: { kind: 'Role', name },
        subjects,
      });
    expect(await bind('same')).toMatchObject({ code: 201 });
    expect(await bind('wide')).toMatchObject({ code: 403 });
  });

  test('cannot change what a binding refers to, nor give no verb', async () => {
    const other = { roleRef: { kind: 'Role', name: 'wide' } };
    expect(await it.call('PATCH', `${rbac}/rolebindings/ci`, other)).toMatchObject({
      code: 422,
      text: expect.stringContaining('cannot change roleRef'),
    });
    const none = { metadata: { name: 'none' }, ...rule([]) };
    expect(await it.call('POST', `${rbac}/roles`, none)).toMatchObject({
      code: 422,
      text: expect.stringContaining('rules[0].verbs: Required value: verbs must contain at least one value'),
    });
    expect(await it.call('POST', `${rbac}/rolebindings`, { metadata: { name: 'none' } })).toMatchObject({
      code: 422,
    });
  });
});

test('who asks is told who it is', async () => {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  expect(await it.call('POST', path, {}, token)).toMatchObject({
    code: 201,
    json: { status: { userInfo: { username: 'system:serviceaccount:default:ci' } } },
  });
});

test.each([
  [599, 'may not specify a duration less than 10 minutes'],
  [2 ** 32 + 1, 'may not specify a duration larger than 2^32 seconds'],
])('a token for %s s is refused', async (expirationSeconds, message) => {
  const path = '/api/v1/namespaces/default/serviceaccounts/ci/token';
  expect(await it.call('POST', path, { spec: { expirationSeconds } })).toMatchObject({
    code: 422,
    text: expect.stringContaining(message),
  });
});
