import { access, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Output, TestCluster } from './fixture.ts';
import {
  conditionsOf,
  eventsOf,
  jobManifest,
  jobNamed,
  jobs,
  keepAlive,
  podOfJob,
  pods,
  testCluster,
  until,
} from './fixture.ts';

let it: TestCluster;
beforeAll(async () => {
  it = await testCluster();
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
});

const start = async (name: string, parts = {}): Promise<string> => {
  expect((await it.call('POST', jobs, jobManifest(name, parts))).code).toBe(201);
  return (await podOfJob(it, name)).metadata.name;
};
const sh = (pod: string, script: string): Promise<Output> =>
  it.kubectl(['exec', pod, '--', 'sh', '-c', script]);

test('a pod sees programs and its own files, and nothing else of this machine', async () => {
  process.env.EMBEDDED_TEST_CANARY = 'must not be seen';
  const pod = await start('alone', {
    container: {
      env: [
        { name: 'A', value: 'one' },
        { name: 'B', value: '$(A) $$(A)' },
      ],
      workingDir: '/work',
      volumeMounts: [
        { name: 'work', mountPath: '/work' },
        { name: 'fast', mountPath: '/fast' },
      ],
    },
    pod: {
      volumes: [
        { name: 'work', emptyDir: {} },
        { name: 'fast', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
      ],
    },
  });
  const root = (await sh(pod, 'ls -A /')).stdout.split('\n');
  for (const name of ['.old', 'boot', 'mnt', 'srv', 'old_root', 'media']) expect(root).not.toContain(name);
  expect((await sh(pod, 'find /root /home /tmp /var /run')).stdout).toBe(
    '/root\n/home\n/tmp\n/var\n/var/tmp\n/run\n',
  );
  expect((await sh(pod, `ls ${homedir()}/.. 2>/dev/null; ls -A ${homedir()}`)).stdout).not.toContain('.');
  expect((await sh(pod, `test -e ${process.cwd()}/package.json`)).code).toBe(1);
  const environment = (await sh(pod, 'env | sort')).stdout;
  expect(environment.replace(/^PATH=.*$/m, 'PATH=…')).toBe(
    `A=one\nB=one $(A)\nHOME=/root\nHOSTNAME=${pod}\nPATH=…\nPWD=/work\n`,
  );
  expect((await sh(pod, 'ls /proc | grep -c "^[0-9]"')).stdout.trim()).toMatch(/^[2-8]$/);
  expect((await sh(pod, 'ls /dev | tr "\\n" " "')).stdout).toBe(
    'fd full null random shm stderr stdin stdout tty urandom zero ',
  );
  expect(
    (await sh(pod, 'touch /work/a /fast/b /c && stat -f -c %T /fast && head -c 2000000 /dev/zero >/fast/big'))
      .stdout,
  ).toBe('tmpfs\n');
  expect((await sh(pod, 'touch /usr/x')).stderr).toContain('Read-only file system');
  expect((await sh(pod, 'mount -o remount,rw /usr || mount -t tmpfs none /tmp')).code).not.toBe(0);
  expect((await sh(pod, 'ls /var/run/secrets 2>/dev/null')).stdout).toBe('');
  expect((await sh(pod, `${process.execPath} -e 'console.log(1+1)'`)).stdout).toBe('2\n');
});

test('a pod of the restricted profile has its own user, no privilege and a read-only root', async () => {
  const pod = await start('strict', {
    pod: {
      securityContext: {
        runAsUser: 65532,
        runAsGroup: 65532,
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      volumes: [{ name: 'work', emptyDir: {} }],
    },
    container: {
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      volumeMounts: [{ name: 'work', mountPath: '/work' }],
    },
  });
  expect((await sh(pod, 'id -u; id -g')).stdout).toBe('65532\n65532\n');
  expect(
    (await sh(pod, 'grep -E "CapEff|CapPrm|NoNewPrivs" /proc/self/status /proc/1/status')).stdout.replace(
      /.*:\s*/g,
      '',
    ),
  ).toBe('0000000000000000\n0000000000000000\n1\n0000000000000000\n0000000000000000\n1\n');
  expect((await sh(pod, 'touch /x')).stderr).toContain('Read-only file system');
  expect((await sh(pod, 'touch /work/x && stat -c %u /work/x')).stdout).toBe('65532\n');
});

test('process 1 gets TERM, and its code is the Job’s failure', async () => {
  const pod = await start('asked');
  expect((await it.call('DELETE', `${pods}/${pod}`)).code).toBe(200);
  await until('the failed Job', async () =>
    conditionsOf(await jobNamed(it, 'asked')).length === 2 ? true : undefined,
  );
  expect(conditionsOf(await jobNamed(it, 'asked'))).toEqual([
    'FailureTarget/BackoffLimitExceeded',
    'Failed/BackoffLimitExceeded',
  ]);
  expect((await it.call('GET', `${pods}/${pod}`)).code).toBe(404);
  expect(await eventsOf(it, pod)).toContain('Killing: Stopping container run');
});

test('process 1 that does not hear is killed after the grace', async () => {
  const pod = await start('deaf', { command: ['sleep', '1000'], pod: { terminationGracePeriodSeconds: 1 } });
  const watched = it.call('GET', `${pods}?watch=1&fieldSelector=metadata.name%3D${pod}&timeoutSeconds=3`);
  await it.call('DELETE', `${pods}/${pod}`);
  expect((await watched).text).toContain('"terminated":{"exitCode":137,"reason":"Error"');
});

test('a container that ends by itself', async () => {
  await it.call('POST', jobs, jobManifest('ends', { command: ['sh', '-c', 'exit 3'] }));
  const failed = await podOfJob(it, 'ends', ({ status }) => status.phase === 'Failed');
  expect(failed.status.containerStatuses[0]?.state.terminated).toMatchObject({
    exitCode: 3,
    reason: 'Error',
  });
  await until('the failed Job', async () =>
    (await jobNamed(it, 'ends')).status.failed === 1 ? true : undefined,
  );
});

test('what cannot be started says why', async () => {
  await it.call('POST', jobs, jobManifest('missing', { command: ['nosuch'] }));
  const missing = await podOfJob(it, 'missing', ({ status }) => status.phase === 'Failed');
  expect(missing.status.containerStatuses[0]?.state.terminated).toMatchObject({
    exitCode: 128,
    reason: 'StartError',
    message: expect.stringContaining('exec: "nosuch": executable file not found in $PATH'),
  });
  await it.call('POST', jobs, jobManifest('odd', { container: { image: 'BUSY/nope:a:b' } }));
  const odd = await podOfJob(
    it,
    'odd',
    ({ status }) => status.containerStatuses[0]?.state.waiting?.reason === 'InvalidImageName',
  );
  expect(odd.status.phase).toBe('Pending');
  await it.call('POST', jobs, jobManifest('root', { pod: { securityContext: { runAsNonRoot: true } } }));
  await podOfJob(
    it,
    'root',
    ({ status }) => status.containerStatuses[0]?.state.waiting?.reason === 'CreateContainerConfigError',
  );
});

test('a Job past its deadline fails, and its pod goes', async () => {
  await it.call('POST', jobs, jobManifest('late', { job: { activeDeadlineSeconds: 1 } }));
  await until('the failed Job', async () =>
    conditionsOf(await jobNamed(it, 'late')).includes('Failed/DeadlineExceeded') ? true : undefined,
  );
  const said = await eventsOf(it, 'late');
  expect(said).toContain('DeadlineExceeded: Job was active longer than specified deadline');
  expect(said.some((one) => one.startsWith('SuccessfulDelete: Deleted pod: late-'))).toBe(true);
});

test('a finished Job goes after its time to live, with its pod', async () => {
  await it.call(
    'POST',
    jobs,
    jobManifest('short', { command: ['true'], job: { ttlSecondsAfterFinished: 0 } }),
  );
  await until('the end of the Job', async () =>
    (await it.call('GET', `${jobs}/short`)).code === 404 ? true : undefined,
  );
  expect((await it.call('GET', `${pods}?labelSelector=job-name%3Dshort`)).text).toContain('"items":[]');
});

test('without a policy a deleted Job leaves its pod behind, as batch/v1 does', async () => {
  const pod = await start('parent');
  expect((await it.call('DELETE', `${jobs}/parent`)).code).toBe(200);
  await until('the end of the Job', async () =>
    (await it.call('GET', `${jobs}/parent`)).code === 404 ? true : undefined,
  );
  const left = await it.call('GET', `${pods}/${pod}`);
  expect(left.json).toMatchObject({ status: { phase: 'Running' } });
  await it.call('DELETE', `${pods}/${pod}?gracePeriodSeconds=0`);
});

test('what a pod owns goes after it, also if it came later', async () => {
  const name = await start('owner');
  const { metadata } = await podOfJob(it, 'owner');
  const policies = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies';
  const owned = (policy: string): object => ({
    metadata: { name: policy, ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid: metadata.uid }] },
    spec: { podSelector: {} },
  });
  expect((await it.call('POST', policies, owned('one'))).code).toBe(201);
  await it.call('DELETE', `${jobs}/owner?propagationPolicy=Foreground`);
  await until('the end of the policy', async () =>
    (await it.call('GET', `${policies}/one`)).code === 404 ? true : undefined,
  );
  expect((await it.call('GET', `${pods}/${name}`)).code).toBe(404);
  await it.call('POST', policies, owned('two'));
  await until('the end of the late policy', async () =>
    (await it.call('GET', `${policies}/two`)).code === 404 ? true : undefined,
  );
});

test('nothing is left on the disk of a pod that is gone', async () => {
  const pod = await start('traces', {
    command: ['sh', '-c', `mkdir -p /root/a/b && touch /root/a/b/c && chmod 0 /root/a; ${keepAlive}`],
  });
  const { metadata } = await podOfJob(it, 'traces');
  await it.call('DELETE', `${jobs}/traces?propagationPolicy=Background`);
  const folder = `${it.folder}/pods`;
  await until('the end of the folder', async () =>
    (await readdir(folder)).includes(metadata.uid) ? undefined : true,
  );
  expect((await it.call('GET', `${pods}/${pod}`)).code).toBe(404);
  await access(folder);
});
