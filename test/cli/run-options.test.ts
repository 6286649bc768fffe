import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunOptions } from '../../src/cli/options/run-options.ts';
import { parseRun } from './parse-run.ts';
import { testContext } from './test-context.ts';

let folder: string;
const base = ['--name', 'demo', '--steps-file', 'steps.tsv'];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'knotless-options-'));
  await writeFile(join(folder, 'steps.tsv'), 'one\ttrue\n');
  await writeFile(join(folder, 'key.pem'), 'line 1\nline 2\n');
  await writeFile(join(folder, 'empty'), '');
  await writeFile(join(folder, 'vars.env'), '# comment\nA=1\n  B="x y" \nC\nD\n');
  await writeFile(join(folder, 'patch.yml'), 'hostAliases:\n  - ip: 1.2.3.4\n');
  await mkdir(join(folder, 'tree'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const options = (argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<RunOptions> =>
  parseRun(testContext(env, folder).context, ...base, ...argv);

describe('an option', () => {
  it('has the defaults of the design', async () => {
    const parsed = await options([]);
    expect(parsed).toMatchObject({
      name: 'demo',
      runner: undefined,
      image: undefined,
      checkout: undefined,
      outputs: undefined,
      keep: false,
      dryRun: false,
      compress: 'auto',
      verbosity: 'normal',
      limits: {
        timeoutMs: undefined,
        stepTimeoutMs: undefined,
        readyMs: 15 * 60_000,
        orphanMs: 10 * 60_000,
        graceMs: 5000,
      },
      pod: {
        profile: 'baseline',
        network: 'isolated',
        cpu: undefined,
        memory: undefined,
        pullPolicy: undefined,
      },
      cluster: { embedded: false, transport: 'api', kubectl: 'kubectl' },
    });
  });

  it('is taken from its flag, then its variable', async () => {
    const env = { KNOTLESS_K8S_READY_TIMEOUT: '1m', KNOTLESS_K8S_GRACE: '7s' };
    const parsed = await options(['--ready-timeout', '2m'], env);
    expect(parsed.limits).toMatchObject({ readyMs: 120_000, graceMs: 7000 });
  });

  it('of the required ones too', async () => {
    const { context } = testContext(
      { KNOTLESS_K8S_NAME: 'from the environment', KNOTLESS_K8S_STEPS_FILE: 'steps.tsv' },
      folder,
    );
    expect((await parseRun(context)).name).toBe('from the environment');
  });

  it('is not set by an empty variable', async () => {
    expect((await options([], { KNOTLESS_K8S_NAMESPACE: '' })).cluster.namespace).toBeUndefined();
  });

  it.each([
    ['true', true],
    ['1', true],
    ['yes', true],
    ['false', false],
    ['0', false],
  ])('that is a switch reads %s in its variable', async (value, expected) => {
    expect((await options([], { KNOTLESS_K8S_KEEP: value })).keep).toBe(expected);
  });

  it('that is a switch can be turned off by its flag', async () => {
    expect((await options(['--keep=false'], { KNOTLESS_K8S_KEEP: 'true' })).keep).toBe(false);
  });

  it('that repeats takes one value a line from its variable', async () => {
    const env = { KNOTLESS_K8S_ENV: 'A=1,2\r\nB=3\n', KNOTLESS_K8S_TOLERATION: 'gpu' };
    const parsed = await options([], env);
    expect(parsed.environment).toEqual({ A: '1,2', B: '3' });
    expect(parsed.pod.tolerations).toEqual([{ key: 'gpu', operator: 'Exists' }]);
  });
});

describe('habits of kubectl and docker', () => {
  it.each([
    ['-n ci', ['-n', 'ci']],
    ['-nci', ['-nci']],
    ['-n=ci', ['-n=ci']],
    ['--namespace ci', ['--namespace', 'ci']],
    ['--namespace=ci', ['--namespace=ci']],
  ])('%s', async (_, argv) => {
    expect((await options(argv)).cluster.namespace).toBe('ci');
  });

  it.each([
    ['-e twice', ['-e', 'A=1', '-e', 'B=2'], { A: '1', B: '2' }],
    ['the last of two stands', ['-e', 'A=1', '-e', 'A=2'], { A: '2' }],
    ['-eA=1', ['-eA=1'], { A: '1' }],
    ['--env=A=1', ['--env=A=1'], { A: '1' }],
    ['a value with =', ['-e', 'A=b=c'], { A: 'b=c' }],
    ['an empty value', ['-e', 'A='], { A: '' }],
    ['a value of two lines', ['-e', 'A=b\nc'], { A: 'b\nc' }],
    ['a value of two lines after =', ['--env=A=b\nc'], { A: 'b\nc' }],
    ['K passes on', ['-e', 'HERE'], { HERE: 'yes' }],
    ['K that is not set is left out', ['-e', 'NOT_HERE'], {}],
    ['a value that begins with a dash', ['--env=A=-1', '-eB=-2'], { A: '-1', B: '-2' }],
  ])('%s', async (_, argv, expected) => {
    expect((await options(argv, { HERE: 'yes' })).environment).toEqual(expected);
  });

  it('--env-file is read as docker reads it, and -e stands above it', async () => {
    const parsed = await options(['-e', 'A=2', '--env-file', 'vars.env'], { C: 'from here' });
    expect(parsed.environment).toEqual({ A: '2', B: '"x y" ', C: 'from here' });
  });

  it('-qv is -q and -v, which exclude each other', async () => {
    await expect(options(['-qv'])).rejects.toThrow('--quiet and --verbose exclude each other');
  });
});

describe('secrets', () => {
  it('come from the variable of their name, or from a file less its last line end', async () => {
    const parsed = await options(
      ['--secret', 'TOKEN', '--secret', 'KEY=@key.pem', '--secret', 'NONE=@empty'],
      {
        TOKEN: 'hunter2\n',
      },
    );
    expect(parsed.secrets).toEqual({ TOKEN: 'hunter2\n', KEY: 'line 1\nline 2', NONE: '' });
  });

  it.each([
    [['--secret', 'TOKEN=hunter2']],
    [['--secret=TOKEN=hunter2']],
    [['--secret', 'TOKEN=hunter2\nhunter2']],
    [['--secret', 'a b hunter2']],
    [['--secret', '9hunter2=@x']],
    [['--secret', 'TOKEN', '-e', 'TOKEN=hunter2']],
    [['-e', 'my hunter2']],
    [['-e', 'A=hunter2\0']],
  ])('no message repeats a value: %j', async (argv) => {
    const error = await options(argv, { TOKEN: 'hunter2' }).then(
      () => new Error('accepted'),
      (thrown: Error) => thrown,
    );
    expect(error).toMatchObject({ code: 'BadInput' });
    expect(error.message).not.toContain('hunter2');
  });
});

describe('values', () => {
  it('are read once, into types', async () => {
    const parsed = await options([
      '--workdir=tree',
      '--files=git',
      '--exclude=*.log',
      '--exclude=node_modules',
      '--outputs=out',
      '--collect=/work/dist/',
      '--outputs-max-size=1.5GiB',
      '--outputs-max-files=10',
      '--user=1000:2000',
      '--node-selector=kubernetes.io/arch=amd64',
      '--toleration=dedicated=ci:NoSchedule',
      '--toleration=spot:NoExecute',
      '--pull=missing',
      '--cpu=500m',
      '--memory=2Gi',
      '--pod-patch=patch.yml',
      '--log=-',
      '--result=a/result.json',
      '--timeout=1h30m',
    ]);
    expect(parsed.checkout).toEqual({
      folder: join(folder, 'tree'),
      files: 'git',
      exclude: ['*.log', 'node_modules'],
    });
    expect(parsed.outputs).toEqual({
      folder: join(folder, 'out'),
      collect: ['/work/dist'],
      maxBytes: 1.5 * 1024 ** 3,
      maxFiles: 10,
    });
    expect(parsed.pod).toMatchObject({
      user: { uid: 1000, gid: 2000 },
      nodeSelector: { 'kubernetes.io/arch': 'amd64' },
      tolerations: [
        { key: 'dedicated', operator: 'Equal', value: 'ci', effect: 'NoSchedule' },
        { key: 'spot', operator: 'Exists', effect: 'NoExecute' },
      ],
      pullPolicy: 'IfNotPresent',
      cpu: '500m',
      memory: '2Gi',
      patch: { hostAliases: [{ ip: '1.2.3.4' }] },
    });
    expect(parsed.log).toEqual({ kind: 'stdout' });
    expect(parsed.result).toEqual({ kind: 'file', path: join(folder, 'a/result.json') });
    expect(parsed.limits.timeoutMs).toBe(5_400_000);
  });
});

describe('of two that exclude each other', () => {
  it('the flag stands above the variable', async () => {
    const parsed = await options(['--embedded'], {
      KNOTLESS_K8S_KUBECONFIG: '/nowhere',
      KNOTLESS_K8S_CONTEXT: 'x',
    });
    expect(parsed.cluster).toMatchObject({ embedded: true, kubeconfig: undefined, context: undefined });
    expect((await options(['--verbose'], { KNOTLESS_K8S_QUIET: '1' })).verbosity).toBe('verbose');
  });

  it('and so it does for the list of steps', async () => {
    const { context } = testContext({ KNOTLESS_K8S_STEPS_FILE: 'steps.tsv' }, folder);
    const parsed = await parseRun(context, '--name=x', '--workflow=patch.yml');
    expect(parsed.recipe).toMatchObject({ kind: 'workflow', name: 'patch.yml' });
  });
});

describe('--executor docker', () => {
  it('is taken with what any container has', async () => {
    const argv = [
      '--executor',
      'docker',
      '--memory',
      '1Gi',
      '--user',
      '7',
      '--network',
      'none',
      '--pull',
      'never',
    ];
    expect(await options(argv)).toMatchObject({ executor: 'docker', engine: undefined });
    expect(await options([])).toMatchObject({ executor: 'kubernetes' });
    expect(
      await options([], { KNOTLESS_K8S_EXECUTOR: 'docker', KNOTLESS_K8S_ENGINE: 'unix:///s' }),
    ).toMatchObject({
      executor: 'docker',
      engine: 'unix:///s',
    });
  });

  it.each([
    ['--kubeconfig', 'k'],
    ['--context', 'c'],
    ['--namespace', 'n'],
    ['--transport', 'api'],
    ['--kubectl', '/bin/kubectl'],
    ['--node-selector', 'a=b'],
    ['--toleration', 'a'],
    ['--image-pull-secret', 'a'],
    ['--service-account', 'a'],
    ['--pod-patch', 'patch.yml'],
    ['--embedded'],
  ])('refuses %s, which only a cluster has a meaning for', async (...flag) => {
    await expect(options(['--executor', 'docker', ...flag])).rejects.toThrow(
      `only a cluster has a meaning for ${flag[0]},`,
    );
  });

  it('stands above what variables say of a cluster, and refuses those beside its own variable', async () => {
    const env = { KNOTLESS_K8S_NAMESPACE: 'ci' };
    expect(await options(['--executor', 'docker'], env)).toMatchObject({ executor: 'docker' });
    await expect(options([], { ...env, KNOTLESS_K8S_EXECUTOR: 'docker' })).rejects.toThrow(
      'KNOTLESS_K8S_NAMESPACE',
    );
  });

  it('is what --engine asks for', async () => {
    await expect(options(['--engine', 'unix:///s'])).rejects.toThrow('--executor docker; add it');
    await expect(options(['--executor', 'docker', '--engine', 'no'])).rejects.toThrow('--engine');
  });
});
