import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { objectName } from '../../src/executor/object-name.ts';
import type { Cluster } from './cluster.ts';
import { type Ended as EndedRun, runCommand } from './command-run.ts';
import { eventually } from './eventually.ts';
import { removeFolder, temporaryFolder } from './folders.ts';
import { type Ended, startInProcess } from './in-process.ts';
import { itIfAble } from './needs.ts';
import { runnerRules } from './rights.ts';
import type { Transport } from './venue.ts';

const listed = z.object({ runs: z.array(z.record(z.string(), z.unknown())) });
const examined = z.object({
  checks: z.array(
    z.object({ name: z.string(), result: z.string(), detail: z.string(), fix: z.string().nullable() }),
  ),
});
type Checks = z.infer<typeof examined>['checks'];

interface LiveRunOptions {
  readonly step?: string;
  /** By its log. */
  readonly isReady?: (log: string) => Promise<boolean>;
  readonly outputs?: boolean;
  readonly args?: readonly string[];
}

/** `ls`, `cancel`, `prune` and `doctor`. */
export function clusterCommandsContract(cluster: Cluster, transport: Transport): void {
  let folder = '';
  let runs = 0;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => removeFolder(folder));

  const command = (words: readonly string[], kubeconfig?: string): Promise<Ended> =>
    startInProcess(cluster, transport, folder, words, kubeconfig === undefined ? {} : { kubeconfig }).ended;

  const within = (namespace: string): readonly string[] => ['--namespace', namespace];

  /** A run in a process of its own whose step does not end by itself; `meanwhile` is done while that runs. */
  async function liveRun(
    namespace: string,
    name: string,
    meanwhile: () => Promise<void>,
    {
      step = 'echo ready; sleep 60',
      isReady = async (log) => log.includes('ready\n'),
      outputs = true,
      args = [],
    }: LiveRunOptions = {},
  ): Promise<EndedRun> {
    const steps = join(folder, `hold-${runs}.tsv`);
    await writeFile(steps, `hold\t${step}\n`);
    return runCommand(join(folder, `run-${runs++}`), {
      outputs,
      args: [
        ...['--name', name, '--steps-file', steps, '--kubeconfig', cluster.kubeconfig],
        ...['--transport', transport, '--orphan-timeout', '2m', ...within(namespace), ...args],
      ],
      meanwhile: async (child, log) => {
        try {
          await eventually(`the run ${name} is ready`, async () =>
            (await isReady(await readFile(log, 'utf8').catch(() => ''))) ? true : undefined,
          );
          await meanwhile();
        } catch (error) {
          child.kill('SIGTERM');
          throw error;
        }
      },
    });
  }

  /** A Job of ours that nobody looks after, whose pod does this. */
  async function strayJob(namespace: string, name: string, script: string): Promise<void> {
    const labels = {
      'app.kubernetes.io/managed-by': 'knotless-runner-k8s',
      'knotless-runner-k8s/run': objectName(name),
    };
    const container = { name: 'run', image: 'busybox:1.36', command: ['sh', '-c', script] };
    await cluster.view.batch.createNamespacedJob({
      namespace,
      body: {
        metadata: {
          name: objectName(name),
          labels,
          annotations: { 'knotless-runner-k8s/run-name': name },
        },
        spec: {
          backoffLimit: 0,
          template: {
            metadata: { labels },
            spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers: [container] },
          },
        },
      },
    });
  }

  const failed = (namespace: string, name: string): Promise<true> =>
    eventually(`the Job of ${name} has failed`, async () => {
      const job = await cluster.view.job(namespace, objectName(name));
      return job?.status?.conditions?.some(({ type }) => type === 'Failed') ? true : undefined;
    });

  async function expectNothingLeft(namespace: string, name: string): Promise<void> {
    expect(await cluster.view.objectsOf(namespace, objectName(name))).toMatchObject({ jobs: [], pods: [] });
  }

  it('ls says on standard error that there is nothing, and gives an empty list as JSON', async () => {
    const namespace = await cluster.makeNamespace();
    expect(await command(['ls', ...within(namespace)])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining(`no runs in the namespace ${namespace}`),
    });
    const { stdout, stderr } = await command(['ls', '-ojson', ...within(namespace)]);
    expect({ runs: listed.parse(JSON.parse(stdout)).runs, stderr }).toEqual({ runs: [], stderr: '' });
  });

  it('ls shows a live run, prune leaves it alone, and cancel ends it as cancelled, with 143', async () => {
    const namespace = await cluster.makeNamespace();
    const name = 'My build: main';
    const ended = await liveRun(namespace, name, async () => {
      // the status follows up to a second behind the event by which a run knows
      const table = await eventually('the run to be shown as running', async () => {
        const shown = await command(['ls', ...within(namespace)]);
        return shown.stdout.includes('Running') ? shown : undefined;
      });
      expect(table.stdout).toMatch(
        /^NAME +RUNNER +STATUS +AGE +NODE\nMy build: main +did:plc:runner +Running +\d+s +\S+\n$/,
      );
      const json = await command(['ls', '--output=json', ...within(namespace)]);
      expect(listed.parse(JSON.parse(json.stdout)).runs).toMatchObject([
        { name, runner: 'did:plc:runner', status: 'Running', kept: false, job: objectName(name) },
      ]);
      const mine = await command(['ls', '--runner', 'did:plc:runner', ...within(namespace)]);
      expect(mine.stdout).toContain(name);
      expect((await command(['ls', '--runner', 'did:plc:other', ...within(namespace)])).stdout).toBe('');
      const pruned = await command(['prune', '--yes', ...within(namespace)]);
      expect(pruned).toMatchObject({ code: 0, stdout: '' });
      const cancelled = await command(['cancel', name, ...within(namespace)]);
      expect(cancelled).toMatchObject({ code: 0, stderr: '' });
      expect(cancelled.stdout).toContain(`cancelled the run "${name}"`);
      await expectNothingLeft(namespace, name);
    });
    expect(ended.result).toMatchObject({
      status: 'cancelled',
      reason: { code: 'Cancelled', message: expect.stringContaining('from elsewhere, by ada@') },
      steps: [{ name: 'hold', status: 'cancelled' }],
      job: { deleted: true },
    });
    expect(ended.code).toBe(143);
  });

  itIfAble(cluster.can.admission, 'cancel ends a run that has no pod yet', async () => {
    const namespace = await cluster.makeNamespace();
    await cluster.view.core.createNamespacedResourceQuota({
      namespace,
      body: { metadata: { name: 'full' }, spec: { hard: { pods: '1' } } },
    });
    await strayJob(namespace, 'holder', "trap 'exit 143' TERM; sleep 60 & wait");
    await eventually('the quota is used up', async () => {
      const { pods } = await cluster.view.objectsOf(namespace, objectName('holder'));
      return pods.length > 0 ? true : undefined;
    });
    const isThere = async (): Promise<boolean> =>
      (await cluster.view.job(namespace, objectName('waits'))) !== null;
    const cancelled = async (): Promise<void> => {
      await eventually('ls tells why it waits', async () => {
        const { stdout } = await command(['ls', ...within(namespace)]);
        return /^waits +did:plc:runner +Waiting \(FailedCreate\)/m.test(stdout) ? true : undefined;
      });
      expect(await command(['cancel', 'waits', ...within(namespace)])).toMatchObject({
        code: 0,
        stderr: '',
      });
    };
    const ended = await liveRun(namespace, 'waits', cancelled, { isReady: isThere });
    expect(ended.result).toMatchObject({ status: 'cancelled', reason: { code: 'Cancelled' } });
    expect(ended.code).toBe(143);
  });

  it('cancel refuses a name that no run has, and a Job that is no run', async () => {
    const namespace = await cluster.makeNamespace();
    expect(await command(['cancel', 'nobody', ...within(namespace)])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`no run "nobody" in the namespace ${namespace}`),
    });
    await cluster.view.batch.createNamespacedJob({
      namespace,
      body: {
        metadata: { name: objectName('theirs') },
        spec: {
          suspend: true,
          template: {
            spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'busybox:1.36' }] },
          },
        },
      },
    });
    expect(await command(['cancel', 'theirs', ...within(namespace)])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not the run "theirs"'),
    });
    expect(await cluster.view.job(namespace, objectName('theirs'))).not.toBeNull();
  });

  it('cancel ends a run whose runner is no more: after a wait that is told, and with --now at once', async () => {
    const namespace = await cluster.makeNamespace();
    const script = "trap 'exit 143' TERM; sleep 60 & wait";
    await Promise.all(['stray', 'hasty'].map((name) => strayJob(namespace, name, script)));
    const began = performance.now();
    const cancelled = async (words: readonly string[]): Promise<Ended & { ms: number }> => ({
      ...(await command(['cancel', ...words, ...within(namespace)])),
      ms: performance.now() - began,
    });
    const [stray, hasty] = await Promise.all([cancelled(['stray']), cancelled(['hasty', '--now'])]);
    expect(stray.code).toBe(0);
    expect(stray.stderr).toContain('waiting up to 15 s for its runner to answer');
    expect(stray.stderr).toContain('no runner has answered within 15 s, so its Job is deleted from here');
    expect(stray.ms).toBeLessThan(25_000);
    expect(hasty).toMatchObject({ code: 0, stderr: '' });
    expect(hasty.ms).toBeLessThan(10_000);
    await expectNothingLeft(namespace, 'stray');
    await expectNothingLeft(namespace, 'hasty');
  });

  it('cancel has the steps end in order and the outputs fetched', async () => {
    const namespace = await cluster.makeNamespace();
    const name = 'in order';
    const step =
      "trap 'echo asked; echo kept >/outputs/kept; exit 3' TERM; echo ready; while :; do sleep 0.2; done";
    const ended = await liveRun(
      namespace,
      name,
      async () => {
        expect(await command(['cancel', name, ...within(namespace)])).toMatchObject({ code: 0 });
        await expectNothingLeft(namespace, name);
      },
      { step },
    );
    expect(ended.code).toBe(143);
    expect(ended.log).toMatch(/^=== step hold\nready\n(Terminated\n)?asked\n$/);
    expect(ended.result).toMatchObject({
      status: 'cancelled',
      steps: [{ status: 'cancelled', exitCode: 3, signal: 'TERM' }],
      outputs: { files: 1, complete: true },
      job: { deleted: true },
    });
    expect(await readFile(join(ended.outputs, 'kept'), 'utf8')).toBe('kept\n');
  });

  it('cancel kills a step that does not hear TERM, after its grace', async () => {
    const namespace = await cluster.makeNamespace();
    const step = "trap 'echo asked' TERM; echo ready; while :; do sleep 0.2 || :; done";
    const ended = await liveRun(
      namespace,
      'deaf',
      async () => {
        const { code, stderr } = await command(['cancel', 'deaf', ...within(namespace)]);
        expect(code).toBe(0);
        expect(stderr).toContain('its runner is ending the run, which may take up to 94 s');
      },
      { step, args: ['--grace', '4s'] },
    );
    expect(ended.code).toBe(143);
    expect(ended.log).toMatch(/^=== step hold\nready\n(Terminated\n)?asked\n/);
    expect(ended.result.steps).toMatchObject([{ status: 'cancelled', signal: 'KILL' }]);
  });

  it('cancel to gone takes seconds, for a step that ends on TERM and a run without outputs', async () => {
    const namespace = await cluster.makeNamespace();
    let ms = Number.NaN;
    const ended = await liveRun(
      namespace,
      'timed',
      async () => {
        const began = performance.now();
        expect(await command(['cancel', 'timed', ...within(namespace)])).toMatchObject({ code: 0 });
        ms = performance.now() - began;
        await expectNothingLeft(namespace, 'timed');
      },
      { outputs: false },
    );
    console.log(`figure: ${cluster.name}, ${transport}: cancel from elsewhere to gone: ${Math.round(ms)} ms`);
    expect(ended.code).toBe(143);
    expect(ms).toBeLessThan(5_000);
  });

  it('prune lists what is left over, and removes it only when told to', async () => {
    const namespace = await cluster.makeNamespace();
    await strayJob(namespace, 'over', 'exit 3');
    await strayJob(namespace, 'alive', "trap 'exit 143' TERM; sleep 60 & wait");
    await failed(namespace, 'over');
    const dry = await command(['prune', ...within(namespace)]);
    expect(dry.stdout).toMatch(/^KIND +NAME +RUN +WHY\nJob +knotless-over-\w+ +over +failed: [^\n]*\n$/);
    expect(dry).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing was removed') });
    expect(await cluster.view.job(namespace, objectName('over'))).not.toBeNull();
    expect(await command(['prune', '--yes', ...within(namespace)])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('removed it'),
    });
    await eventually('it is gone', async () =>
      (await cluster.view.job(namespace, objectName('over'))) === null ? true : undefined,
    );
    expect(await cluster.view.job(namespace, objectName('alive'))).not.toBeNull();
  });

  it('no name can drive the terminal', async () => {
    const namespace = await cluster.makeNamespace();
    const name = '\u001b[2J\u001b]0;title\u0007evil\nRunning\u009b31m';
    await strayJob(namespace, name, 'exit 3');
    await failed(namespace, name);
    const outputs = [
      await command(['ls', ...within(namespace)]),
      await command(['ls', '-o', 'json', ...within(namespace)]),
      await command(['prune', ...within(namespace)]),
    ];
    for (const { stdout, stderr } of outputs) {
      expect(stdout).toContain('evil');
      expect(stdout + stderr).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    }
    expect(outputs[0]?.stdout.split('\n')).toHaveLength(3);
  });

  async function doctor(words: readonly string[], kubeconfig?: string): Promise<Ended & { checks: Checks }> {
    const ended = await command(['doctor', '-o', 'json', ...words], kubeconfig);
    return { ...ended, checks: examined.parse(JSON.parse(ended.stdout)).checks };
  }

  const resultOf = (checks: Checks, name: string): string | undefined =>
    checks.find((check) => check.name === name)?.result;

  /** A kubeconfig of an account with these rights. */
  async function account(namespace: string, rules: typeof runnerRules): Promise<string> {
    const token = await cluster.view.makeAccount(namespace, 'runner', [...rules]);
    const kubeconfig = join(folder, `${namespace}.kubeconfig`);
    await writeFile(kubeconfig, cluster.view.kubeconfigWith(token, namespace), { mode: 0o600 });
    return kubeconfig;
  }

  it('doctor finds all well for a runner of few rights, and says what it may not look at', async () => {
    const namespace = await cluster.makeNamespace();
    const kubeconfig = await account(namespace, runnerRules);
    const { code, checks, stdout } = await doctor([], kubeconfig);
    expect(checks.filter(({ result }) => result === 'failed')).toEqual([]);
    expect(code).toBe(0);
    for (const name of ['quota', 'nodes']) expect(resultOf(checks, name)).toBe('skipped');
    for (const name of ['reach', 'version', 'Job', 'pod', 'clock', 'patch jobs.batch'])
      expect(resultOf(checks, name)).toBe('ok');
    const [, token = 'no token'] = /token: (\S+)/.exec(await readFile(kubeconfig, 'utf8')) ?? [];
    expect(stdout).not.toContain(token);
    expect((await cluster.view.batch.listNamespacedJob({ namespace })).items).toEqual([]);
  });

  itIfAble(
    cluster.can.admission,
    'doctor tells of a pod that PodSecurity would refuse, and the flag',
    async () => {
      const namespace = await cluster.makeNamespace({ 'pod-security.kubernetes.io/enforce': 'restricted' });
      const refused = await doctor(within(namespace));
      expect(refused.code).toBe(3);
      expect(refused.checks.filter(({ result }) => result === 'failed')).toMatchObject([
        {
          name: 'pod',
          detail: expect.stringContaining('violates PodSecurity'),
          fix: 'use --profile restricted',
        },
      ]);
      const { code, checks } = await doctor(['--profile', 'restricted', ...within(namespace)]);
      expect(resultOf(checks, 'pod')).toBe('ok');
      expect(code).toBe(0);
    },
  );

  it('doctor --exec speaks to a pod in each way, and leaves nothing', async () => {
    const namespace = await cluster.makeNamespace();
    const { code, checks } = await doctor(['--exec', ...within(namespace)]);
    expect(checks.filter(({ result }) => result === 'failed')).toEqual([]);
    expect(code).toBe(0);
    expect(checks.map(({ name }) => name).filter((name) => /^exec/.test(name))).toEqual(
      transport === 'api' ? ['exec', 'exec v5', 'exec v4'] : ['exec'],
    );
    for (const name of ['exec', 'removal']) expect(resultOf(checks, name)).toBe('ok');
    expect((await cluster.view.batch.listNamespacedJob({ namespace })).items).toEqual([]);
    expect((await cluster.view.core.listNamespacedPod({ namespace })).items).toEqual([]);
  });

  it('doctor prints a table, and under it what to do', async () => {
    const namespace = await cluster.makeNamespace();
    const { stdout } = await command(['doctor'], await account(namespace, runnerRules.slice(1)));
    expect(stdout).toMatch(/^CHECK +RESULT +DETAIL\nkubeconfig +ok +context /);
    expect(stdout).toMatch(/^create jobs\.batch +failed +not permitted; needed by run/m);
    expect(stdout).toMatch(/\n\nWhat to do:\n(?: {2}.*\n)* {2}create jobs\.batch: kubectl create role /);
  });

  it('doctor tells of a token that the server does not know, and never the token', async () => {
    const kubeconfig = join(folder, 'unknown.kubeconfig');
    const token = 'no-such-token-4711';
    await writeFile(kubeconfig, cluster.view.kubeconfigWith(token, cluster.namespace), { mode: 0o600 });
    const { code, checks, stdout, stderr } = await doctor([], kubeconfig);
    expect(code).toBe(3);
    expect(checks.some(({ result, fix }) => result === 'failed' && fix?.includes('sign in'))).toBe(true);
    expect(stdout + stderr).not.toContain(token);
  });
}
