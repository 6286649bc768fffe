import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestCluster } from './fixture.ts';
import { jobManifest, podOfJob, testCluster } from './fixture.ts';

let it: TestCluster;
beforeAll(async () => {
  it = await testCluster();
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
});

const create = async (name: string, parts = {}): Promise<void> => {
  const made = await it.kubectl(['create', '-f', '-'], JSON.stringify(jobManifest(name, parts)));
  expect(made).toMatchObject({ code: 0, stdout: `job.batch/${name} created\n` });
};

test('a Job is made, waited for, entered, read and deleted', async () => {
  await create('whole');
  const waited = await it.kubectl([
    'wait',
    '--for=condition=ready',
    'pod',
    '-l',
    'job-name=whole',
    '--timeout=15s',
  ]);
  expect(waited.stdout).toContain('condition met');
  const pod = (await podOfJob(it, 'whole')).metadata.name;

  const list = await it.kubectl(['get', 'pods']);
  expect(list.stdout).toMatch(/^NAME +READY +STATUS +RESTARTS +AGE\n/);
  expect(list.stdout).toMatch(new RegExp(`${pod} +1/1 +Running +0 +\\d+s`));
  expect((await it.kubectl(['get', 'jobs'])).stdout).toMatch(/whole +Running +0\/1/);
  expect((await it.kubectl(['get', 'nodes'])).stdout).toMatch(/embedded +Ready/);
  expect((await it.kubectl(['logs', pod])).stdout).toBe('started\n');

  const failing = await it.kubectl(['exec', pod, '--', 'sh', '-c', 'echo out; echo err >&2; exit 7']);
  expect(failing.code).toBe(7);
  expect(failing.stdout).toBe('out\n');
  expect(failing.stderr).toContain('err\n');
  const big = 'x'.repeat(1_000_000);
  const echoed = await it.kubectl(['exec', '-i', pod, '--', 'cat'], big);
  expect(echoed.code).toBe(0);
  expect(echoed.stdout === big).toBe(true);

  const gone = await it.kubectl([
    'delete',
    'job',
    'whole',
    '--cascade=foreground',
    '--wait',
    '--timeout=15s',
  ]);
  expect(gone).toMatchObject({ code: 0, stdout: expect.stringMatching(/^job\.batch "whole" deleted/) });
  expect((await it.kubectl(['get', 'pods,jobs'])).stderr).toBe('No resources found in default namespace.\n');
});

test('wait --for=delete sees the pod go after its Job', async () => {
  await create('goes');
  const pod = (await podOfJob(it, 'goes')).metadata.name;
  expect((await it.kubectl(['delete', 'job', 'goes', '--wait=false'])).code).toBe(0);
  expect((await it.kubectl(['wait', '--for=delete', `pod/${pod}`, '--timeout=15s'])).code).toBe(0);
});

test('wait --for=condition=complete and =failed', async () => {
  await create('passes', { command: ['true'] });
  await create('breaks', { command: ['sh', '-c', 'exit 4'] });
  expect((await it.kubectl(['wait', '--for=condition=complete', 'job/passes', '--timeout=15s'])).code).toBe(
    0,
  );
  expect((await it.kubectl(['wait', '--for=condition=failed', 'job/breaks', '--timeout=15s'])).code).toBe(0);
  expect((await it.kubectl(['get', 'job', 'passes', '-o', 'jsonpath={.status.succeeded}'])).stdout).toBe('1');
});

test('logs -f follows to the end', async () => {
  await create('talks', { command: ['sh', '-c', 'for i in 1 2 3; do echo line $i; sleep 0.2; done'] });
  await podOfJob(it, 'talks', () => true);
  await it.kubectl([
    'wait',
    '--for=jsonpath={.status.startTime}',
    'pod',
    '-l',
    'job-name=talks',
    '--timeout=15s',
  ]);
  const pod = (await podOfJob(it, 'talks', ({ status }) => status.phase !== 'Pending')).metadata.name;
  const followed = await it.kubectl(['logs', '-f', pod]);
  expect(followed.stdout).toBe('line 1\nline 2\nline 3\n');
  expect((await it.kubectl(['logs', pod, '--tail=1'])).stdout).toBe('line 3\n');
});

test('raw requests, annotate and patch', async () => {
  const path = '/apis/batch/v1/namespaces/default/jobs';
  const made = await it.kubectl(['create', '--raw', path, '-f', '-'], JSON.stringify(jobManifest('raw')));
  expect(JSON.parse(made.stdout)).toMatchObject({
    kind: 'Job',
    metadata: { name: 'raw', namespace: 'default' },
  });
  const again = await it.kubectl(['create', '--raw', path, '-f', '-'], JSON.stringify(jobManifest('raw')));
  expect(again.stderr).toContain('Error from server (AlreadyExists): jobs.batch "raw" already exists');

  expect((await it.kubectl(['annotate', 'job', 'raw', 'a/b=c'])).stdout).toBe('job.batch/raw annotated\n');
  const merge = ['patch', 'job', 'raw', '--type=merge', '-p', '{"spec":{"activeDeadlineSeconds":100}}'];
  expect((await it.kubectl(merge)).code).toBe(0);
  const seen = JSON.parse((await it.kubectl(['get', '--raw', `${path}/raw`])).stdout);
  expect(seen).toMatchObject({
    metadata: { annotations: { 'a/b': 'c' } },
    spec: { activeDeadlineSeconds: 100 },
  });

  const wrong = JSON.stringify({ propagationPolicy: 'Foreground', preconditions: { uid: 'another' } });
  const refused = await it.kubectl(['delete', '--raw', `${path}/raw`, '-f', '-'], wrong);
  expect(refused.stderr).toContain(
    `Error from server (Conflict): Operation cannot be fulfilled on Job.batch "raw": the UID in the precondition (another) does not match the UID in record (${seen.metadata.uid}).`,
  );
  const right = JSON.stringify({
    propagationPolicy: 'Foreground',
    preconditions: { uid: seen.metadata.uid },
  });
  expect((await it.kubectl(['delete', '--raw', `${path}/raw`, '-f', '-'], right)).code).toBe(0);
  expect((await it.kubectl(['wait', '--for=delete', 'job/raw', '--timeout=15s'])).code).toBe(0);
});

test('what is wrong is said as the real API says it', async () => {
  expect((await it.kubectl(['get', 'pod', 'nope'])).stderr).toBe(
    'Error from server (NotFound): pods "nope" not found\n',
  );
  const bad = jobManifest('Bad_', { container: { image: '' }, pod: { restartPolicy: 'Always' } });
  const { stderr } = await it.kubectl(['create', '-f', '-'], JSON.stringify(bad));
  expect(stderr).toContain('The Job "Bad_" is invalid:');
  expect(stderr).toContain('* spec.template.spec.containers[0].image: Required value');
  expect(stderr).toContain(
    '* spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
  );
});
