import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Access, TestCluster } from './fixture.ts';
import { jobManifest, jobs, podOfJob, pods, readAccess, testCluster, until } from './fixture.ts';
import { outputOf, rawExec, statusOf } from './raw-exec.ts';

let it: TestCluster;
let access: Access;
let pod: string;
beforeAll(async () => {
  it = await testCluster();
  access = await readAccess(it.cluster.kubeconfigPath);
  await it.call('POST', jobs, jobManifest('one'));
  pod = (await podOfJob(it, 'one')).metadata.name;
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
});

test('frames of a success, on v5', async () => {
  const exec = await rawExec(access, pod, ['echo', 'hello']);
  expect(await exec.closed).toBe(1000);
  expect(exec.protocol).toBe('v5.channel.k8s.io');
  expect(exec.frames).toEqual([
    [1, ''],
    [1, 'hello\n'],
    [3, '{"metadata":{},"status":"Success"}'],
  ]);
});

test('frames of a failure are those of the real API', async () => {
  const exec = await rawExec(access, pod, ['sh', '-c', 'kill -9 $$']);
  expect(await exec.closed).toBe(1000);
  expect(statusOf(exec)).toEqual({
    metadata: {},
    status: 'Failure',
    message: 'command terminated with non-zero exit code: command terminated with exit code 137',
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: '137' }] },
  });
});

test.each([0, 1, 2, 42, 125, 126, 127, 130, 137, 143, 255])(
  'exit code %i arrives as it was',
  async (code) => {
    const exec = await rawExec(access, pod, ['sh', '-c', `exit ${code}`]);
    await exec.closed;
    expect(statusOf(exec)).toMatchObject(
      code === 0
        ? { status: 'Success' }
        : { details: { causes: [{ reason: 'ExitCode', message: String(code) }] } },
    );
  },
);

test.each([
  [['nosuch'], 'exec: "nosuch": executable file not found in $PATH: unknown'],
  [['/no/such'], 'exec: "/no/such": stat /no/such: no such file or directory: unknown'],
  [['/tmp'], 'exec: "/tmp": permission denied: unknown'],
])('%j cannot be started', async (command, text) => {
  const exec = await rawExec(access, pod, command);
  expect(await exec.closed).toBe(1000);
  expect(statusOf(exec)).toMatchObject({
    status: 'Failure',
    reason: 'InternalError',
    code: 500,
    message: expect.stringContaining(text),
  });
});

test('v5 ends the input by a frame', async () => {
  const exec = await rawExec(access, pod, ['cat'], { stdin: true });
  exec.socket.send(Buffer.from('\0abc'));
  exec.socket.send(Buffer.from([255, 0]));
  await exec.closed;
  expect(outputOf(exec, 1)).toBe('abc');
  expect(statusOf(exec)).toMatchObject({ status: 'Success' });
});

test('v4 is spoken when it is all that is asked for, and cannot end the input', async () => {
  const exec = await rawExec(access, pod, ['head', '-c', '3'], {
    stdin: true,
    protocols: ['v4.channel.k8s.io'],
  });
  expect(exec.protocol).toBe('v4.channel.k8s.io');
  exec.socket.send(Buffer.from('\0abc'));
  exec.socket.send(Buffer.from([255, 0]));
  await exec.closed;
  expect(outputOf(exec, 1)).toBe('abc');
});

test('refusals come before the upgrade', async () => {
  const refused = (name: string, options: object) => rawExec(access, name, ['true'], options);
  await expect(refused(pod, { protocols: ['v9.channel.k8s.io'] })).rejects.toThrow(/^403/);
  await expect(refused('nope', {})).rejects.toThrow(/^404 .*pods \\"nope\\" not found/);
  await expect(refused(pod, { container: 'side' })).rejects.toThrow(
    /^400 .*container side is not valid for pod/,
  );
});

test('SPDY is answered as by a gateway that does not know it', async () => {
  const { code, text } = await it.call('POST', `${pods}/${pod}/exec?command=true&stdout=true&container=run`);
  expect(code).toBe(400);
  expect(text).toContain('Upgrade request required');
});

test('of several containers one must be named, and only a running one can be entered', async () => {
  await it.call('POST', pods, {
    metadata: { name: 'two' },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      containers: [
        { name: 'a', image: 'x', command: ['true'] },
        { name: 'b', image: 'x', command: ['sleep', '60'] },
      ],
    },
  });
  await until('the end of the first container', async () => {
    const { text } = await it.call('GET', `${pods}/two`);
    return text.includes('"Completed"') && text.includes('"running":{') ? true : undefined;
  });
  await expect(rawExec(access, 'two', ['true'], { container: '' })).rejects.toThrow(
    /^400 .*a container name must be specified for pod two, choose one of: \[a b\]/,
  );
  const exec = await rawExec(access, 'two', ['true'], { container: 'a' });
  await exec.closed;
  expect(statusOf(exec)).toMatchObject({
    reason: 'InternalError',
    message: 'Internal error occurred: unable to upgrade connection: container not found ("a")',
  });
});

test('a program goes on without its client, and its input ends', async () => {
  const exec = await rawExec(access, pod, ['sh', '-c', 'cat >/tmp/kept; echo done >/tmp/ended'], {
    stdin: true,
  });
  exec.socket.send(Buffer.from('\0abc'));
  await until('the bytes in the pod', async () => ((await read('/tmp/kept')) === 'abc' ? true : undefined));
  exec.socket.terminate();
  expect(await until('the end of its input', async () => (await read('/tmp/ended')) || undefined)).toBe(
    'done\n',
  );

  async function read(path: string): Promise<string> {
    const look = await rawExec(access, pod, ['sh', '-c', `cat ${path} 2>/dev/null`]);
    await look.closed;
    return outputOf(look, 1);
  }
});

test('a client that does not read holds the program, and loses nothing', async () => {
  const megabytes = 40;
  const script = `head -c ${megabytes}000000 /dev/zero; echo end >/tmp/written`;
  const exec = await rawExec(access, pod, ['sh', '-c', script]);
  exec.socket.pause();
  const look = await rawExec(access, pod, ['sh', '-c', 'sleep 0.3; ls /tmp/written']);
  await look.closed;
  expect(statusOf(look)).toMatchObject({ reason: 'NonZeroExitCode' });
  exec.socket.resume();
  await exec.closed;
  expect(outputOf(exec, 1).length).toBe(megabytes * 1_000_000);
  expect(statusOf(exec)).toMatchObject({ status: 'Success' });
});

test('standard output and error are pipes that can be opened again', async () => {
  const exec = await rawExec(access, pod, ['sh', '-c', 'echo out >/dev/stdout; echo err >/dev/stderr']);
  await exec.closed;
  expect([outputOf(exec, 1), outputOf(exec, 2)]).toEqual(['out\n', 'err\n']);
});
