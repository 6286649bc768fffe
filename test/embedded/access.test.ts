import { stat } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
