import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseFault } from '../../src/embedded/faults/parse.ts';
import type { Access, TestCluster } from './fixture.ts';
import {
  conditionsOf,
  eventsOf,
  jobManifest,
  jobNamed,
  jobs,
  podOfJob,
  pods,
  readAccess,
  testCluster,
  until,
} from './fixture.ts';
import { outputOf, rawExec, statusOf } from './raw-exec.ts';

let it: TestCluster;
let access: Access;
beforeEach(async () => {
  it = await testCluster();
  access = await readAccess(it.cluster.kubeconfigPath);
});
afterEach(async () => {
  await it[Symbol.asyncDispose]();
});

const fault = (...texts: string[]): void => it.cluster.faults.set(texts.map(parseFault));
const start = async (name: string): Promise<string> => {
  await it.call('POST', jobs, jobManifest(name));
  return (await podOfJob(it, name)).metadata.name;
};

test('a request is answered with a status, a number of times', async () => {
  fault('answer create-job status=429 retry-after=2 times=1 message=slow down');
  const refused = await it.call('POST', jobs, jobManifest('one'));
  expect(refused).toMatchObject({
    code: 429,
    headers: { 'retry-after': '2' },
    json: {
      kind: 'Status',
      reason: 'TooManyRequests',
      message: 'slow down',
      details: { retryAfterSeconds: 2 },
    },
  });
  expect((await it.call('POST', jobs, jobManifest('one'))).code).toBe(201);
});

test('reset never does it; lose does it and does not say so', async () => {
  fault('reset create-job times=1');
  await expect(it.call('POST', jobs, jobManifest('one'))).rejects.toThrow(/ECONNRESET|hang up/);
  expect((await it.call('GET', `${jobs}/one`)).code).toBe(404);
  fault('lose create-job times=1');
  await expect(it.call('POST', jobs, jobManifest('one'))).rejects.toThrow(/ECONNRESET|hang up/);
  expect((await it.call('GET', `${jobs}/one`)).code).toBe(200);
});

test('an exec is cut, found missing, slowed and stalled', async () => {
  const pod = await start('one');
  const count = ['sh', '-c', 'head -c 100000 /dev/zero; sleep 5'];
  fault('cut exec bytes=1000 how=rst times=1');
  const cut = await rawExec(access, pod, count);
  expect(await cut.closed).toBe(-1);
  expect(statusOf(cut)).toBeUndefined();

  fault('no-container exec times=2');
  for (let time = 0; time < 2; time += 1) {
    const missing = await rawExec(access, pod, ['true']);
    await missing.closed;
    expect(statusOf(missing)).toMatchObject({
      message: expect.stringContaining('container not found ("run")'),
    });
  }
  const found = await rawExec(access, pod, ['true']);
  await found.closed;
  expect(statusOf(found)).toMatchObject({ status: 'Success' });

  fault('throttle exec bps=20000 times=1');
  const from = performance.now();
  const slow = await rawExec(access, pod, ['head', '-c', '10000', '/dev/zero']);
  await slow.closed;
  expect(performance.now() - from).toBeGreaterThan(450);

  fault('stall exec bytes=10 times=1');
  const stalled = await rawExec(access, pod, ['sh', '-c', 'echo 123456789; sleep 0.1; echo more']);
  const after = await rawExec(access, pod, ['sleep', '0.5']);
  await after.closed;
  expect(outputOf(stalled, 1)).toBe('123456789\n');
  expect(statusOf(stalled)).toBeUndefined();
  stalled.socket.terminate();
});

test('a watch is closed', async () => {
  fault('cut watch-pods after=50ms');
  const from = performance.now();
  await it.call('GET', `${pods}?watch=1`);
  expect(performance.now() - from).toBeLessThan(5000);
});

test('a running pod is evicted, with the kubelet’s words', async () => {
  fault('evict pod-running after=100ms');
  await it.call('POST', jobs, jobManifest('one'));
  const pod = await podOfJob(it, 'one', ({ status }) => status.phase === 'Failed');
  expect(pod.status.reason).toBe('Evicted');
  expect(pod.status.message).toContain('The node was low on resource: memory');
  expect(pod.status.conditions.find(({ type }) => type === 'DisruptionTarget')?.reason).toBe(
    'TerminationByKubelet',
  );
  await until('the failed Job', async () =>
    conditionsOf(await jobNamed(it, 'one')).length === 2 ? true : undefined,
  );
});

test('a running pod runs out of memory', async () => {
  fault('oom pod-running');
  await it.call('POST', jobs, jobManifest('one'));
  const pod = await podOfJob(it, 'one', ({ status }) => status.phase === 'Failed');
  expect(pod.status.containerStatuses[0]?.state.terminated).toMatchObject({
    exitCode: 137,
    reason: 'OOMKilled',
  });
});

test('a pod is deleted when it is entered', async () => {
  const pod = await start('one');
  fault('delete-pod exec times=1');
  const exec = await rawExec(access, pod, ['sleep', '30']);
  await exec.closed;
  expect(statusOf(exec)).toMatchObject({ status: 'Failure' });
  await until('the end of the pod', async () =>
    (await it.call('GET', `${pods}/${pod}`)).code === 404 ? true : undefined,
  );
});

test('the node is lost, and the pod with it', async () => {
  fault('lose-node pod-running after=50ms times=1');
  await it.call('POST', jobs, jobManifest('one'));
  await until('the failed Job', async () =>
    conditionsOf(await jobNamed(it, 'one')).includes('Failed/BackoffLimitExceeded') ? true : undefined,
  );
  expect((await it.call('GET', `${pods}`)).text).toContain('"items":[]');
});

test('an image cannot be pulled', async () => {
  fault('fail-pull message=manifest unknown');
  await it.call('POST', jobs, jobManifest('one'));
  const pod = await podOfJob(
    it,
    'one',
    ({ status }) => status.containerStatuses[0]?.state.waiting?.reason === 'ImagePullBackOff',
  );
  expect(await eventsOf(it, pod.metadata.name)).toEqual(
    expect.arrayContaining([
      'Failed: Failed to pull image "busybox:1.36": manifest unknown',
      'Failed: Error: ErrImagePull',
      'BackOff: Back-off pulling image "busybox:1.36"',
    ]),
  );
});

test('a pod is refused as PodSecurity does it', async () => {
  fault('refuse-pod by=pod-security times=1');
  await it.call('POST', jobs, jobManifest('one'));
  await podOfJob(it, 'one');
  const [refused] = (await eventsOf(it, 'one')).filter((one) => one.startsWith('FailedCreate'));
  expect(refused).toMatch(
    / is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation/,
  );
});

test.each(['cut exce', 'delay create-jobs ms=1', 'lose create-job,get-jobs', 'evict running'])(
  'a kind that nothing is of is refused with a list of those that are: %s',
  (text) => {
    expect(() => parseFault(text)).toThrow(
      /nothing is of the kind "[a-z-]+"; there are: create-.*networkpolicy.*pod-running/,
    );
  },
);

test('a pod is refused, and the Job’s event says why', async () => {
  fault('refuse-pod times=1 message=exceeded quota: q, requested: pods=1, used: pods=5, limited: pods=1');
  await it.call('POST', jobs, jobManifest('one'));
  await podOfJob(it, 'one');
  const [refused] = (await eventsOf(it, 'one')).filter((one) => one.startsWith('FailedCreate'));
  expect(refused).toMatch(
    /^FailedCreate: Error creating: pods "one-\w{5}" is forbidden: exceeded quota: q, /,
  );
});
