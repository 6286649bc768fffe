import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/run/result-schema.ts';
import { resultSchema } from '../../src/run/result-schema.ts';
import type { BuiltCommand, Ended, Running } from './built-command.ts';
import { buildCommand, start } from './built-command.ts';

let built: BuiltCommand;
let folder: string;
let cluster: Running;
let kubeconfig: string;

beforeAll(async () => {
  built = await buildCommand();
  folder = await mkdtemp(join(tmpdir(), 'knotless-process-'));
  cluster = start([process.execPath, built.main, 'cluster', '--hold=0s'], { cwd: folder });
  kubeconfig = (await cluster.says('end it with Ctrl-C')).trim();
});

afterAll(async () => {
  cluster.kill('SIGTERM');
  const { code, stderr } = await cluster.ended;
  await rm(folder, { recursive: true, force: true });
  await built[Symbol.asyncDispose]();
  expect(stderr).toContain('ending the embedded cluster');
  expect(code).toBe(0);
  await expect(access(dirname(kubeconfig))).rejects.toThrow('ENOENT');
});

let runs = 0;

interface Run {
  readonly name: string;
  readonly argv: readonly string[];
  readonly result: () => Promise<RunResult>;
}

/** A run of these steps, with a result file, on the cluster of this file. */
async function runOf(steps: Readonly<Record<string, string>>, ...more: readonly string[]): Promise<Run> {
  runs += 1;
  const name = `run-${runs}`;
  const lines = Object.entries(steps).map(([step, command]) => `${step}\t${command}\n`);
  await writeFile(join(folder, `${name}.tsv`), lines.join(''));
  const flags = [`--name=${name}`, `--steps-file=${name}.tsv`, `--result=${name}.json`];
  return {
    name,
    argv: [process.execPath, built.main, 'run', ...flags, `--kubeconfig=${kubeconfig}`, ...more],
    result: async () => resultSchema.parse(JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8'))),
  };
}

const run = (argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
  start(argv, { cwd: folder, env }).ended;

/** Through bash, with the command's own exit code; `"$@"` is the command. */
const shell = (script: string, argv: readonly string[]): Promise<Ended> =>
  run(['bash', '-c', `${script}; exit "\${PIPESTATUS[0]}"`, 'bash', ...argv]);

describe('exit codes', () => {
  it('0: the steps passed, and the Job is gone', async () => {
    const { argv, result } = await runOf({ one: 'echo hello' });
    const { code, stdout, stderr } = await run(argv);
    expect(stdout.toString()).toMatch(/── one\nhello\n✓ one: success/);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(await result()).toMatchObject({ status: 'success', job: { deleted: true, kept: false } });
  });

  it('1: a step failed; the reason is on standard error as well', async () => {
    const { argv, result } = await runOf({ one: 'exit 42' });
    const { code, stdout, stderr } = await run(argv);
    expect(code).toBe(1);
    expect(stdout.toString()).toContain('✗ one  failed, exit code 42');
    expect(stderr).toMatch(/^knotless-runner-k8s: failed, StepFailed: .*\n$/);
    expect((await result()).steps[0]?.exitCode).toBe(42);
  });

  it('2: bad input', async () => {
    const { argv } = await runOf({ one: 'true' }, '--image=UPPER CASE');
    const { code, stdout, stderr } = await run(argv);
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^knotless-runner-k8s: --image: [^\n]+\n$/);
  });

  it('3: a server that does not answer', async () => {
    const { argv, result } = await runOf({ one: 'true' });
    const config = (await readFile(kubeconfig, 'utf8')).replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1');
    await writeFile(join(folder, 'dead.kubeconfig'), config, { mode: 0o600 });
    const { code } = await run(
      [...argv, '--ready-timeout=2s', '--kubeconfig=dead.kubeconfig'].filter(
        (flag) => flag !== `--kubeconfig=${kubeconfig}`,
      ),
    );
    expect(code).toBe(3);
    expect(await result()).toMatchObject({ status: 'error', reason: { code: 'ConnectionLost' }, job: null });
  });

  it('4: a timeout', async () => {
    const { argv, result } = await runOf({ one: 'sleep 60' }, '--step-timeout=1s', '--grace=0s');
    const { code } = await run(argv);
    expect(code).toBe(4);
    expect(await result()).toMatchObject({ status: 'timeout', reason: { code: 'StepTimeout' } });
  });
});

describe('signals', () => {
  it.each([
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends the run in order: exit code %i, and the Job is gone', async (signal, expected) => {
    const { argv, result } = await runOf({
      one: 'trap "echo asked; exit 0" TERM; echo ready; while :; do sleep 0.1; done',
    });
    const running = start(argv, { cwd: folder });
    await running.says('ready');
    running.kill(signal);
    const { code, stdout } = await running.ended;
    expect(code).toBe(expected);
    expect(stdout.toString()).toContain('asked');
    expect(await result()).toMatchObject({ status: 'cancelled', job: { deleted: true } });
  });

  it('the second skips the grace', async () => {
    const { argv, result } = await runOf(
      { one: 'trap "echo asked" TERM; echo ready; while :; do sleep 0.1 || :; done' },
      '--grace=5m',
    );
    const running = start(argv, { cwd: folder });
    await running.says('ready');
    running.kill('SIGINT');
    await running.says('asked');
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    expect(await result()).toMatchObject({ status: 'cancelled', job: { deleted: true } });
  });

  it('while the pod is waited for', async () => {
    const { argv, result } = await runOf({ one: 'true' }, '--node-selector=no=such');
    const running = start(argv, { cwd: folder });
    await running.says('no nodes available');
    running.kill('SIGTERM');
    expect((await running.ended).code).toBe(143);
    expect(await result()).toMatchObject({
      status: 'cancelled',
      steps: [{ status: 'skipped' }],
      job: { deleted: true },
    });
  });
});

describe('standard output', () => {
  it('holds exactly the log with --log -, and the view is on standard error', async () => {
    const { argv } = await runOf({ one: 'printf "a\\tb"', two: 'echo c' }, '--log=-');
    const { stdout, stderr, code } = await run(argv);
    expect(code).toBe(0);
    expect(stdout.toString()).toBe('=== step one\na\tb\n=== step two\nc\n');
    expect(stderr).toContain('✓ two: success');
  });

  it('holds exactly the result with --result -', async () => {
    const { argv } = await runOf({ one: 'true' });
    const { stdout } = await run([...argv.filter((flag) => !flag.startsWith('--result')), '--result=-']);
    expect(resultSchema.parse(JSON.parse(stdout.toString())).status).toBe('success');
  });

  it('may be read slowly: not a byte is lost', async () => {
    const { argv } = await runOf({ one: 'seq 1 200000' }, '--log=-', '--quiet');
    const { stdout, code } = await shell('"$@" | (sleep 1; cat)', argv);
    const expected = `=== step one\n${Array.from({ length: 200_000 }, (_, i) => `${i + 1}\n`).join('')}`;
    expect(stdout.toString() === expected).toBe(true);
    expect(code).toBe(0);
  });

  it('may be closed: the run goes on, and the Job is gone', async () => {
    const { argv, result } = await runOf({ one: 'seq 1 50000', two: 'true' });
    const { code } = await shell('"$@" | head -1', argv);
    expect(code).toBe(0);
    expect(await result()).toMatchObject({ status: 'success', job: { deleted: true } });
  });

  it('may be full: the run goes on', async () => {
    const { argv, result } = await runOf({ one: 'true' });
    const { code } = await shell('"$@" >/dev/full', argv);
    expect(code).toBe(0);
    expect((await result()).status).toBe('success');
  });

  it('that is full or closed loses a log with --log -, which is an error; the Job is gone', async () => {
    for (const script of ['"$@" >/dev/full', '"$@" | head -1']) {
      const { argv, result } = await runOf({ one: 'seq 1 50000' }, '--log=-');
      const { code, stderr } = await shell(script, argv);
      expect(code).toBe(3);
      expect(stderr).toContain('standard output');
      expect(await result()).toMatchObject({ status: 'error', job: { deleted: true } });
    }
  });

  it('of a dry run is the same in a file and in a pipe, and an error where it is full', async () => {
    const argv = [...(await runOf({ one: 'true' })).argv, '--dry-run'];
    const whole = await run(argv);
    expect(whole.stdout.toString()).toContain('kind: Job');
    expect((await shell('"$@" | (sleep 0.5; cat)', argv)).stdout.equals(whole.stdout)).toBe(true);
    expect((await shell('"$@" | head -1', argv)).code).toBe(0);
    expect(await shell('"$@" >/dev/full', argv)).toMatchObject({
      code: 3,
      stderr: /standard output cannot be written/,
    });
  });

  it('is silent with --quiet, and a failure is one line on standard error', async () => {
    const passed = await run((await runOf({ one: 'echo x' }, '-q')).argv);
    expect({ code: passed.code, stdout: passed.stdout.toString(), stderr: passed.stderr }).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
    const failed = await run((await runOf({ one: 'exit 1' }, '-q')).argv);
    expect(failed.stdout.toString()).toBe('');
    expect(failed.stderr).toMatch(/^knotless-runner-k8s: failed, StepFailed: [^\n]+\n$/);
  });
});

describe('secrets', () => {
  it('are in nothing that comes out, with --verbose as well', async () => {
    const steps = { one: 'echo "$TOKEN"; echo "$TOKEN" | base64' };
    const { argv, name } = await runOf(
      steps,
      '--secret=TOKEN',
      '--verbose',
      '--log=secret.log',
      '--events=secret.events',
    );
    const { stdout, stderr, code } = await run(argv, { TOKEN: 'hunter2-and-more' });
    expect(code).toBe(0);
    const files = await Promise.all(
      ['secret.log', 'secret.events', `${name}.json`].map((file) => readFile(join(folder, file), 'utf8')),
    );
    const all = [stdout.toString(), stderr, ...files].join('\n');
    expect(all).not.toContain('hunter2');
    expect(all).not.toContain(Buffer.from('hunter2-and-more').toString('base64').slice(0, 16));
    expect(stderr).toContain('POST /apis/batch/v1');
    const token = /token: (\S+)/.exec(await readFile(kubeconfig, 'utf8'))?.[1];
    expect(token).toMatch(/^\S{20,}$/);
    expect(all).not.toContain(token);
  });

  it('are not in what --verbose tells of objects that are named after the run', async () => {
    const { argv, name } = await runOf({ one: 'true' }, '--secret=TOKEN', '--verbose');
    const { stderr, code } = await run(argv, { TOKEN: name });
    expect(code).toBe(0);
    expect(stderr).toContain('DELETE /apis/batch/v1/namespaces/default/jobs/knotless-***');
    expect(stderr).not.toContain(name);
  });
});

describe('an --env-file', () => {
  it('is for the steps: Node, started by the command itself, takes nothing of it', async () => {
    await writeFile(join(folder, 'intruder.cjs'), "process.stderr.write('intruder')");
    const lines = `NODE_OPTIONS=--require=${join(folder, 'intruder.cjs')}\nKNOTLESS_K8S_QUIET=neither\n`;
    await writeFile(join(folder, 'steps.env'), lines);
    await writeFile(join(folder, 'env.tsv'), 'one\ttrue\n');
    const argv = [built.main, 'run', '--name=x', '--steps-file=env.tsv', '--dry-run', '--env-file'];
    expect(await run([...argv, 'steps.env'])).toMatchObject({ code: 0, stderr: '' });
    const missing = await run([...argv, 'none.env']);
    expect(missing.stderr).toContain('--env-file: "none.env" does not exist');
    expect(missing.code).toBe(2);
  });
});

describe('colours', () => {
  const esc = '\u001b[';
  it.each([
    ['are not in a pipe', {}, false],
    ['are there with FORCE_COLOR', { FORCE_COLOR: '1' }, true],
    ['are not there with NO_COLOR, whatever FORCE_COLOR says', { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ])('%s', async (_, env, expected) => {
    const { stdout } = await run((await runOf({ one: 'printf "\\033[31mred\\033[0m\\n"' })).argv, env);
    expect(stdout.toString().includes(esc)).toBe(expected);
    expect(stdout.toString().includes(`${esc}31mred`)).toBe(expected);
  });
});

describe('on a terminal', () => {
  it('a live line says what the run does; what the pod prints cannot drive the terminal', async () => {
    const { argv } = await runOf({ one: 'printf "\\033[2J\\033]0;pwned\\007text\\n"; sleep 1' });
    const words = argv.map((word) => `'${word}'`).join(' ');
    const { code, stdout } = await run(['script', '-qefc', words, '/dev/null'], { TERM: 'xterm' });
    const shown = stdout.toString();
    expect(code).toBe(0);
    expect(shown).toMatch(/step 1 of 1, \d+ s: one/);
    expect(shown).toContain('text\r\n');
    expect(shown).not.toContain('pwned');
    expect(shown).not.toContain('\u001b[2J');
    expect(shown).toMatch(/✓.* one {2}success/);
  });
});
