import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { findPrograms } from '../../src/embedded/kubelet/programs.ts';
import { jobManifest, jobs, keepAlive, podOfJob, testCluster, until } from './fixture.ts';

/** The processes of this machine whose command line holds a text. */
async function processesWith(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const id of await readdir('/proc')) {
    if (!/^\d+$/.test(id) || Number(id) === process.pid) continue;
    const line = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '');
    if (line.includes(text)) found.push(id);
  }
  return found;
}

test('the end of the cluster is the end of its pods and of its folder', async () => {
  const it = await testCluster();
  const mark = `mark-${process.pid}-orderly`;
  await it.call('POST', jobs, jobManifest('one', { command: ['sh', '-c', `${keepAlive} # ${mark}`] }));
  const pod = (await podOfJob(it, 'one')).metadata.name;
  const exec = it.kubectl(['exec', pod, '--', 'sh', '-c', `sleep 100; true # ${mark}`]);
  await until('the exec', async () =>
    (await processesWith(`sleep 100; true # ${mark}`)).length > 1 ? true : undefined,
  );
  await it[Symbol.asyncDispose]();
  expect((await exec).code).not.toBe(0);
  await until('no process', async () => ((await processesWith(mark)).length === 0 ? true : undefined));
  await expect(readdir(it.folder)).rejects.toThrow(/ENOENT/);
  expect(await readFile('/proc/self/mounts', 'utf8')).not.toContain(it.folder);
});

test('no process of a pod outlives a cluster that was killed', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'embedded-test-'));
  const mark = `mark-${process.pid}-killed`;
  const program = fileURLToPath(new URL('./killed-cluster.ts', import.meta.url));
  const script = ['scripts/run-ts.mjs', program, join(parent, 'cluster'), mark];
  const child = spawn(process.execPath, script, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const [ready] = await once(child.stdout, 'data');
  expect(String(ready)).toBe('ready\n');
  expect((await processesWith(mark)).length).toBeGreaterThan(1);
  child.kill('SIGKILL');
  await exited;
  await until('no process', async () => ((await processesWith(mark)).length === 0 ? true : undefined));
  await rm(parent, { recursive: true, force: true });
});

test('elsewhere than on Linux it refuses, and says what to do', async () => {
  await expect(findPrograms('darwin', '')).rejects.toMatchObject({
    code: 'BadInput',
    message: expect.stringMatching(/needs Linux.*darwin.*--kubeconfig/),
  });
});

test('a start that was given up leaves nothing', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'embedded-test-'));
  const start = startEmbeddedCluster({
    folder: join(parent, 'cluster'),
    clock: systemClock(),
    signal: AbortSignal.timeout(1),
  });
  await expect(start).rejects.toThrow();
  expect(await readdir(parent)).toEqual([]);
  await rm(parent, { recursive: true, force: true });
});
