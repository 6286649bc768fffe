import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  conditionsOf,
  eventsOf,
  jobManifest,
  jobNamed,
  jobs,
  podOfJob,
  pods,
  testCluster,
  until,
} from './fixture.ts';

test('the node comes from zero when a pod needs it, and goes after the hold', async () => {
  await using it = await testCluster({ nodeDelayMs: 300, nodeHoldMs: 200 });
  expect((await it.call('GET', '/api/v1/nodes')).text).toContain('"items":[]');
  await it.call('POST', jobs, jobManifest('one', { command: ['sleep', '0.3'] }));
  const waiting = await podOfJob(it, 'one', ({ status }) =>
    status.conditions.some(({ reason }) => reason === 'Unschedulable'),
  );
  expect(waiting.status.phase).toBe('Pending');
  await podOfJob(it, 'one');
  const said = await eventsOf(it, waiting.metadata.name);
  expect(said).toEqual(
    expect.arrayContaining([
      'FailedScheduling: no nodes available to schedule pods',
      'TriggeredScaleUp: pod triggered scale-up: [{embedded 0->1 (max: 1)}]',
      `Scheduled: Successfully assigned default/${waiting.metadata.name} to embedded`,
    ]),
  );
  await until('no node', async () =>
    (await it.call('GET', '/api/v1/nodes')).text.includes('"items":[]') ? true : undefined,
  );
});

test('a running pod keeps the node; what has finished and what is suspended does not; the next run brings it again', async () => {
  await using it = await testCluster({ nodeDelayMs: 50, nodeHoldMs: 100 });
  const { json } = await it.call('GET', '/api/v1/nodes');
  const { resourceVersion } = z
    .object({ metadata: z.object({ resourceVersion: z.string() }) })
    .parse(json).metadata;
  const changes = async (path: string) =>
    changesIn(
      (await it.call('GET', `${path}?watch=1&timeoutSeconds=1&resourceVersion=${resourceVersion}`)).text,
    );
  await it.call('POST', jobs, jobManifest('suspended', { job: { suspend: true } }));
  await it.call('POST', jobs, jobManifest('passes', { command: ['true'] }));
  await it.call('POST', jobs, jobManifest('fails', { command: ['false'] }));
  await it.call('POST', jobs, jobManifest('works', { command: ['sleep', '1'] }));
  const ofWorks = (await podOfJob(it, 'works')).metadata.name;
  await until('no node', async () =>
    (await it.call('GET', '/api/v1/nodes')).text.includes('"items":[]') ? true : undefined,
  );
  expect(conditionsOf(await jobNamed(it, 'passes'))).toContain('Complete/CompletionsReached');
  expect(conditionsOf(await jobNamed(it, 'fails'))).toContain('Failed/BackoffLimitExceeded');
  expect(conditionsOf(await jobNamed(it, 'suspended'))).toContain('Suspended/JobSuspended');
  await it.call('POST', jobs, jobManifest('next'));
  await podOfJob(it, 'next');

  const [node, work] = await Promise.all([changes('/api/v1/nodes'), changes(pods)]);
  expect(node.map(({ type }) => type)).toEqual(['ADDED', 'DELETED', 'ADDED']);
  const ended = work.find(({ name, phase }) => name === ofWorks && phase === 'Succeeded');
  expect(node[1]?.version).toBeGreaterThan(ended?.version ?? Number.POSITIVE_INFINITY);
});

const changeSchema = z.object({
  type: z.string(),
  object: z.looseObject({
    metadata: z.looseObject({ name: z.string(), resourceVersion: z.coerce.number() }),
    status: z.looseObject({ phase: z.string().optional() }),
  }),
});

/** What a watch told; it begins in the past, so nothing is missed. Versions are of the whole cluster: they tell what came before what. */
const changesIn = (watched: string) =>
  watched
    .trim()
    .split('\n')
    .map((line) => changeSchema.parse(JSON.parse(line)))
    .map(({ type, object: { metadata, status } }) => ({
      type,
      name: metadata.name,
      version: metadata.resourceVersion,
      phase: status.phase,
    }));

test('a pod that no node would fit stays where it is, and is told so', async () => {
  await using it = await testCluster({ nodeDelayMs: 50 });
  await it.call('POST', jobs, jobManifest('picky', { pod: { nodeSelector: { gpu: 'yes' } } }));
  const pod = await podOfJob(it, 'picky', ({ status }) =>
    status.conditions.some(({ reason }) => reason === 'Unschedulable'),
  );
  await until('the autoscaler’s word', async () =>
    (await eventsOf(it, pod.metadata.name)).length >= 2 ? true : undefined,
  );
  expect(await eventsOf(it, pod.metadata.name)).toEqual(
    expect.arrayContaining([
      "NotTriggerScaleUp: pod didn't trigger scale-up: 1 node(s) didn't match Pod's node affinity/selector",
    ]),
  );
});

test('quota and PodSecurity refuse pods by the Job’s events', async () => {
  await using it = await testCluster({ quota: { pods: '0' } });
  await it.call('POST', jobs, jobManifest('one'));
  const refused = await until('the refusal', async () => (await eventsOf(it, 'one'))[0]);
  expect(refused).toMatch(
    /^FailedCreate: Error creating: pods "one-\w{5}" is forbidden: exceeded quota: quota, requested: pods=1, used: pods=0, limited: pods=0$/,
  );
  await using strict = await testCluster({ podSecurity: 'restricted' });
  const made = await strict.call('POST', jobs, jobManifest('one'));
  expect(made.headers.warning).toMatch(/^299 - "would violate PodSecurity \\"restricted:latest\\"/);
  expect(await until('the refusal', async () => (await eventsOf(strict, 'one'))[0])).toContain(
    'violates PodSecurity "restricted:latest"',
  );
});

test('watches resume, end, and say when they cannot go back so far', async () => {
  await using it = await testCluster();
  const namespaces = '/api/v1/namespaces';
  const first = (await it.call('GET', `${namespaces}?watch=1&timeoutSeconds=1&allowWatchBookmarks=true`)).text
    .trim()
    .split('\n');
  const seen = first.map((line) => JSON.parse(line));
  expect(seen.map(({ type }) => type)).toEqual(['ADDED', 'ADDED', 'BOOKMARK']);
  const version = seen[2].object.metadata.resourceVersion;
  await it.call('POST', namespaces, { metadata: { name: 'later' } });
  const later = await it.call('GET', `${namespaces}?watch=1&timeoutSeconds=1&resourceVersion=${version}`);
  expect(JSON.parse(later.text)).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'later' } } });
  const old = await it.call(
    'GET',
    `${namespaces}?watch=1&resourceVersion=0000&timeoutSeconds=1&resourceVersion=-5`,
  );
  expect(old.code).toBe(200);
  const gone = await it.call('GET', `${namespaces}?watch=1&resourceVersion=-5&timeoutSeconds=1`);
  expect(JSON.parse(gone.text)).toMatchObject({
    type: 'ERROR',
    object: { kind: 'Status', code: 410, reason: 'Expired' },
  });
});

test('a namespace goes with all that is in it', async () => {
  await using it = await testCluster();
  await it.call('POST', '/api/v1/namespaces', { metadata: { name: 'brief' } });
  await it.call('POST', '/apis/batch/v1/namespaces/brief/jobs', jobManifest('one'));
  expect((await it.call('DELETE', '/api/v1/namespaces/brief')).code).toBe(200);
  await until('the end of the namespace', async () =>
    (await it.call('GET', '/api/v1/namespaces/brief')).code === 404 ? true : undefined,
  );
  expect((await it.call('GET', '/api/v1/pods')).text).toContain('"items":[]');
});
