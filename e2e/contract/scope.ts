import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { runCli } from '../../src/cli/application.ts';
import { rightsOfRunner } from '../../src/executor/kubernetes/rights.ts';
import { objectName } from '../../src/executor/object-name.ts';
import { rightName } from '../../src/kube/access-review.ts';
import { testContext } from '../../test/cli/test-context.ts';
import type { Cluster } from './cluster.ts';
import { type Ended as EndedRun, runCommand } from './command-run.ts';
import { eventually } from './eventually.ts';
import { removeFolder, temporaryFolder } from './folders.ts';
import { itIfAble } from './needs.ts';
import { rulesFor } from './rights.ts';
import type { Transport } from './venue.ts';

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const examined = z.object({
  checks: z.array(z.object({ name: z.string(), result: z.string(), detail: z.string() })),
});

/** What `kubeconfig scope` makes is enough for everything that this program does, and each right of it is needed. */
export function scopeContract(cluster: Cluster, transport: Transport): void {
  let folder = '';
  let namespace = '';
  let scoped = '';
  const outputs: string[] = [];

  async function command(words: readonly string[]): Promise<Ended> {
    const environment = { PATH: process.env.PATH ?? '', HOME: folder, USER: 'ada' };
    const { context, stdout, stderr } = testContext(environment, folder);
    await runCli([...words, '--transport', transport], context);
    outputs.push(stdout(), stderr());
    return { code: context.process.exitCode ?? 0, stdout: stdout(), stderr: stderr() };
  }

  const scope = (...words: readonly string[]): Promise<Ended> =>
    command([
      'kubeconfig',
      'scope',
      '--kubeconfig',
      cluster.kubeconfig,
      '-n',
      namespace,
      '-o',
      scoped,
      ...words,
    ]);

  beforeAll(async () => {
    folder = await temporaryFolder();
    scoped = join(folder, 'scoped.yaml');
    namespace = await cluster.makeNamespace();
    expect(await scope()).toMatchObject({ code: 0, stdout: `${scoped}\n` });
  });
  afterAll(() => removeFolder(folder));

  async function run(name: string, steps: string, meanwhile?: () => Promise<void>): Promise<EndedRun> {
    const file = join(folder, `${name}.tsv`);
    await writeFile(file, steps);
    return runCommand(join(folder, name), {
      args: ['--name', name, '--steps-file', file, '--kubeconfig', scoped, '--transport', transport],
      ...(meanwhile && {
        meanwhile: async (child, log) => {
          try {
            await eventually('the step says that it is ready', async () =>
              (await readFile(log, 'utf8').catch(() => '')).includes('ready\n') ? true : undefined,
            );
            await meanwhile();
          } catch (error) {
            child.kill('SIGTERM'); // one that was cancelled ends by itself
            throw error;
          }
        },
      }),
    });
  }

  it('is its owner’s alone, names its namespace, and says for how long it lasts', async () => {
    expect((await stat(scoped)).mode & 0o777).toBe(0o600);
    expect(outputs.join('')).toMatch(/the token ends on \w{3} \d+ \w+ \d{4}, .*, in 23 h 59 min/);
    for (const line of [
      `can create Jobs in the namespace ${namespace}`,
      'cannot read nodes',
      `cannot read secrets in the namespace ${namespace}`,
      'cannot read the namespace kube-system',
    ])
      expect(outputs.join('')).toContain(line);
  });

  const on = (): readonly string[] => ['--kubeconfig', scoped];

  it('is enough for a run', async () => {
    const passed = await run('passes', 'first\techo "$KNOTLESS_STEP" >/outputs/made\n');
    const job = { namespace, deleted: true };
    expect(passed).toMatchObject({ code: 0, result: { status: 'success', job } });
  });

  it('is enough for ls and cancel', async () => {
    const ended = await run('holds', 'hold\techo ready; sleep 60\n', async () => {
      expect((await command(['ls', ...on()])).stdout).toContain('holds');
      expect(await command(['cancel', 'holds', ...on()])).toMatchObject({ code: 0, stderr: '' });
    });
    expect(ended).toMatchObject({ code: 143, result: { status: 'cancelled', job: { deleted: true } } });

    await job('waits', { suspend: true }); // why a Job has no pod is in its events
    expect((await command(['ls', ...on()])).stdout).toContain('waits');
    expect((await command(['cancel', 'waits', '--now', ...on()])).code).toBe(0);
  });

  it('is enough for prune', async () => {
    await job('over', {});
    await hasFailed('over');
    expect(await command(['prune', '--yes', ...on()])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('over'),
      stderr: expect.stringContaining('removed'),
    });
  });

  it('is enough for doctor', async () => {
    const doctor = await command(['doctor', '--exec', '-o', 'json', ...on()]);
    const { checks } = examined.parse(JSON.parse(doctor.stdout));
    expect(checks.filter(({ result }) => result === 'failed' || result === 'warning')).toEqual([]);
    expect(doctor.code).toBe(0);
  });

  itIfAble(cluster.used, 'gives no right that all of these did not use', async (usedBy) => {
    const used = usedBy(`system:serviceaccount:${namespace}:knotless-runner`);
    const unused = rightsOfRunner.map(({ right }) => rightName(right)).filter((name) => !used.has(name));
    // kubectl exec looks at the pod first; without kubectl nothing does
    expect(unused).toEqual(transport === 'api' ? ['get pods'] : []);
  });

  /** A Job of ours that nobody looks after. */
  async function job(name: string, more: object): Promise<void> {
    const labels = {
      'app.kubernetes.io/managed-by': 'knotless-runner-k8s',
      'knotless-runner-k8s/run': objectName(name),
    };
    const metadata = {
      name: objectName(name),
      labels,
      annotations: { 'knotless-runner-k8s/run-name': name },
    };
    const container = { name: 'run', image: 'busybox:1.36', command: ['sh', '-c', 'exit 3'] };
    const spec = { restartPolicy: 'Never', containers: [container] };
    await cluster.view.batch.createNamespacedJob({
      namespace,
      body: { metadata, spec: { backoffLimit: 0, template: { metadata: { labels }, spec }, ...more } },
    });
  }

  const hasFailed = (name: string): Promise<true> =>
    eventually(`the Job of ${name} has failed`, async () => {
      const found = await cluster.view.job(namespace, objectName(name));
      return found?.status?.conditions?.some(({ type }) => type === 'Failed') ? true : undefined;
    });

  const minor = Number(/v1\.(\d+)/.exec(cluster.name)?.[1] ?? 35);
  const asked = rightsOfRunner
    .map(({ right }) => right)
    .filter(({ subresource, verb }) => minor >= 35 || subresource !== 'exec' || verb !== 'create');
  // kubectl answers the same questions, at a process each
  it.each(
    (transport === 'api' ? asked : asked.slice(0, 1)).map((right) => [rightName(right), right] as const),
  )('doctor names %s where it is missing', async (missing, right) => {
    const poor = await cluster.makeNamespace();
    const rules = rulesFor(rightsOfRunner.map((one) => one.right).filter((one) => one !== right));
    const token = await cluster.view.makeAccount(poor, 'runner', rules);
    const kubeconfig = join(folder, `${poor}.yaml`);
    await writeFile(kubeconfig, cluster.view.kubeconfigWith(token, poor), { mode: 0o600 });
    const { code, stdout } = await command(['doctor', '-o', 'json', '--kubeconfig', kubeconfig]);
    const { checks } = examined.parse(JSON.parse(stdout));
    const failed = checks.filter(({ result }) => result === 'failed').map(({ name }) => name);
    if (missing === 'create pods') {
      // doctor's own: it does without
      expect({ code, failed }).toEqual({ code: 0, failed: [] });
      expect(checks.find(({ name }) => name === 'pod')).toMatchObject({
        result: 'skipped',
        detail: expect.stringContaining('not permitted to create pods'),
      });
    } else {
      const alsoFails = missing === 'create jobs.batch' ? ['Job'] : [];
      expect({ code, failed }).toEqual({ code: 3, failed: [missing, ...alsoFails] });
    }
  });

  it('is renewed, and ends when it is revoked; no token is in any output', async () => {
    const before = await readFile(scoped, 'utf8');
    expect(await scope('--renew')).toMatchObject({ code: 0, stdout: `${scoped}\n` });
    const after = await readFile(scoped, 'utf8');
    expect(after).not.toBe(before);
    const old = join(folder, 'old.yaml');
    await writeFile(old, before, { mode: 0o600 });
    expect((await command(['ls', '--kubeconfig', old])).code).toBe(0);

    const revoked = await scope('--revoke');
    expect(revoked).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('single ones cannot be revoked'),
    });
    await expect(stat(scoped)).rejects.toThrow('ENOENT');
    for (const [name, text] of [
      ['old.yaml', before],
      ['new.yaml', after],
    ] as const) {
      const kubeconfig = join(folder, name);
      await writeFile(kubeconfig, text, { mode: 0o600 });
      await eventually('the token is refused', async () => {
        const { code, stderr } = await command(['ls', '--kubeconfig', kubeconfig]);
        return code === 3 && /sign in again/.test(stderr) ? true : undefined;
      });
      const [, token = 'no token'] = /token: (\S+)/.exec(text) ?? [];
      expect(token.length).toBeGreaterThan(100);
      expect(outputs.join('')).not.toContain(token);
    }
    expect(await scope('--revoke')).toMatchObject({ code: 0, stderr: expect.stringContaining('no account') });
  });
}
