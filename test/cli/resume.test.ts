import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FaultRule } from '../../src/embedded/faults/rules.ts';
import { type JournalRecord, journalSchema } from '../../src/run/journal/journal-record.ts';
import { type RunResult, resultSchema } from '../../src/run/result-schema.ts';
import { jobManifest, jobs, pods, type TestCluster, testCluster, until } from '../embedded/fixture.ts';
import { type BuiltCommand, buildCommand, type Ended, type Running, start } from './built-command.ts';

const secret = 'tok-5f0e9a7c31';
const steps = [
  // what it leaves running holds its exec, so that the second step needs one of its own
  'one\tsleep 300 & echo x >>/outputs/runs-of-one; i=0; while [ $i -lt 300 ]; do i=$((i+1)); echo "one $i"; done; ls',
  'two\techo x >>/outputs/runs-of-two; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "two $i"; sleep 0.05; done; printf end',
  'three\techo x >>/outputs/runs-of-three; echo "with $TOKEN"; head -c 400000 /dev/zero >/outputs/zeros',
];
const networkPolicies = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies';
const never = 600_000;

let built: BuiltCommand;
let folder: string;
let cluster: TestCluster;
let wholeLog: Buffer;

beforeAll(async () => {
  [built, cluster, folder] = await Promise.all([
    buildCommand(),
    testCluster({ nodeHoldMs: 0 }),
    mkdtemp(join(tmpdir(), 'knotless-resume-')),
  ]);
  await mkdir(join(folder, 'tree'));
  await writeFile(join(folder, 'tree/large'), Buffer.alloc(3_000_000, 'large '));
  await writeFile(join(folder, 'steps.tsv'), `${steps.join('\n')}\n`);
  const { code } = await run().ended;
  expect(code).toBe(0);
  wholeLog = await readFile(join(folder, 'run.log'));
});

afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
  await built[Symbol.asyncDispose]();
});

beforeEach(async () => {
  cluster.cluster.faults.clear();
  await rm(join(folder, 'out'), { recursive: true, force: true });
});

/** The command as it was first given, but for `more`, which may replace what is there. */
function run(more: Readonly<Record<string, string | true>> = {}, token = secret): Running {
  const flags: Record<string, string | true> = {
    name: 'demo',
    workdir: 'tree',
    'steps-file': 'steps.tsv',
    outputs: 'out',
    log: 'run.log',
    result: 'result.json',
    events: 'events.jsonl',
    secret: 'TOKEN',
    kubeconfig: cluster.cluster.kubeconfigPath,
    ...more,
  };
  const written = Object.entries(flags).map(([flag, value]) =>
    value === true ? `--${flag}` : `--${flag}=${value}`,
  );
  return start([process.execPath, built.main, 'run', ...written], { cwd: folder, env: { TOKEN: token } });
}

const resume = (more: Readonly<Record<string, string>> = {}, token = secret): Running =>
  run({ ...more, resume: true }, token);

const stateFolder = (): string => join(folder, '.local/state/knotless-runner-k8s/runs');

async function journal(): Promise<JournalRecord | undefined> {
  const names = await readdir(stateFolder()).catch(() => []);
  const name = names.find((file) => file.endsWith('.json'));
  const text = name && (await readFile(join(stateFolder(), name), 'utf8').catch(() => undefined));
  return text ? journalSchema.parse(JSON.parse(text)) : undefined;
}

const result = async (): Promise<RunResult> =>
  resultSchema.parse(JSON.parse(await readFile(join(folder, 'result.json'), 'utf8')));

const isUsed = ({ times }: FaultRule): boolean => times === 0;

/** Starts a run, kills it when all the faults have been met and `moment` has come, and tells what it left. */
async function killed(
  faults: readonly FaultRule[],
  moment: (left: JournalRecord) => boolean | Promise<boolean> = () => true,
): Promise<JournalRecord> {
  cluster.cluster.faults.set(faults);
  const running = run();
  const left = await until('the moment to kill', async () => {
    const record = await journal();
    const isMet = cluster.cluster.faults.rules.every(isUsed);
    return isMet && record && (await moment(record)) ? record : undefined;
  });
  running.kill('SIGKILL');
  await running.ended;
  cluster.cluster.faults.clear();
  return left;
}

async function expectWholeRun(left: JournalRecord, { code, stdout, stderr }: Ended): Promise<void> {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const log = await readFile(join(folder, 'run.log'));
  expect(log.equals(wholeLog), `the log differs:\n${log.toString()}`).toBe(true);
  for (const name of ['one', 'two', 'three']) {
    expect(await readFile(join(folder, `out/runs-of-${name}`), 'utf8'), name).toBe('x\n');
  }
  expect(await readFile(join(folder, 'out/zeros'))).toHaveLength(400_000);
  const { run, status, startedAt, job, outputs, steps: judged } = await result();
  expect(run.id).toBe(left.run.id);
  expect({ status, startedAt }).toEqual({ status: 'success', startedAt: left.startedAt });
  expect(job).toMatchObject({ deleted: true, uid: expect.any(String), pod: expect.any(String) });
  expect(outputs).toMatchObject({ files: 4, complete: true });
  const own = judged.map((step) =>
    log.subarray(step.log?.offset, (step.log?.offset ?? 0) + (step.log?.bytes ?? 0)),
  );
  expect(own[0]?.toString()).toMatch(/^one 1\n[\s\S]*\none 300\nlarge\n$/);
  expect(own[1]?.toString()).toMatch(/^two 1\n[\s\S]*\ntwo 12\nend$/);
  expect(own[2]?.toString()).toBe('with ***\n');
  for (const path of [jobs, pods, networkPolicies]) {
    expect((await cluster.call('GET', path)).json).toMatchObject({ items: [] });
  }
  expect(await readdir(stateFolder())).toEqual([]);
  expect(stdout.toString()).not.toContain(secret);
}

const exec = (program: string) => ({ kind: 'exec', match: `bin%2F${program}`, times: 1 }) as const;

/** Beside the moments of `e2e/contract/resume.ts`. */
describe('a runner that was killed', () => {
  it('while the Job was on its way', async () => {
    const left = await killed([{ do: 'delay', kind: 'create-job', ms: 700, times: 1 }]);
    await expectWholeRun(left, await resume().ended);
  });

  it('after the Job was made, before it was answered', async () => {
    const left = await killed([
      { do: 'lose', kind: 'create-job', times: 1 },
      { do: 'delay', kind: 'get-job', ms: never, times: 1 },
    ]);
    expect(left.state).toBe('waiting');
    await expectWholeRun(left, await resume().ended);
  });

  it('in the upload: what came of it goes', async () => {
    await writeFile(join(folder, 'tree/a-stale'), 'of the first try');
    const left = await killed(
      [{ do: 'stall', ...exec('receive'), bytes: 1_000_000 }],
      ({ state }) => state === 'open',
    );
    await rm(join(folder, 'tree/a-stale'));
    await expectWholeRun(left, await resume().ended);
  });

  it('in a step', async () => {
    const log = join(folder, 'run.log');
    const left = await killed([], async () => (await readFile(log, 'utf8')).includes('two 5\n'));
    expect(left.steps).toHaveLength(1);
    await expectWholeRun(left, await resume().ended);
    const events = (await readFile(join(folder, 'events.jsonl'), 'utf8')).trimEnd().split('\n');
    expect(events.map((line) => JSON.parse(line)).filter(({ type }) => type === 'finished')).toHaveLength(1);
  });

  it('between two steps', async () => {
    const left = await killed(
      [{ do: 'delay', ...exec('step'), skip: 1, ms: never }],
      ({ steps: ended }) => ended.length === 1,
    );
    await expectWholeRun(left, await resume().ended);
  });

  it('in the cleanup, after the Job went', async () => {
    const left = await killed([{ do: 'delay', kind: 'delete-job', ms: never, times: 1 }]);
    await cluster.call('DELETE', `${jobs}/${left.place?.name}?propagationPolicy=Foreground`);
    await until('the end of the Job', async () => {
      const { code } = await cluster.call('GET', `${jobs}/${left.place?.name}`);
      return code === 404 || undefined;
    });
    await expectWholeRun(left, await resume().ended);
  });

  it('again and again', async () => {
    const log = join(folder, 'run.log');
    await killed([], async () => (await readFile(log, 'utf8')).includes('one 1\n'));
    for (const word of ['two 3\n', 'two 7\n']) {
      const again = resume();
      await until(word, async () => (await readFile(log, 'utf8')).includes(word) || undefined);
      again.kill('SIGKILL');
      await again.ended;
    }
    const left = await journal();
    if (!left) throw new Error('there is no journal');
    await expectWholeRun(left, await resume().ended);
  });
});

describe('a run that was left', () => {
  const inStepTwo = async (): Promise<boolean> =>
    (await readFile(join(folder, 'run.log'), 'utf8')).includes('two 2\n');

  it('has a journal that only its owner can read, without a secret', async () => {
    const left = await killed([], inStepTwo);
    const [file = ''] = (await readdir(stateFolder())).filter((name) => name.endsWith('.json'));
    const path = join(stateFolder(), file);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(stateFolder())).mode & 0o777).toBe(0o700);
    expect(await readFile(path, 'utf8')).not.toContain(secret);
    await expectWholeRun(left, await resume().ended);
  });

  it('is taken up by its very command alone, and by one at a time', async () => {
    const left = await killed([], inStepTwo);
    await writeFile(join(folder, 'other.tsv'), `${steps.join('\n').replace('300', '301')}\n`);
    const otherInputs =
      'the steps, the image, the variables or the runner are not those that the run began with';
    const refusals: [flags: Record<string, string>, token: string, message: string][] = [
      [{}, 'x-another-value', 'the secret TOKEN has another value than when the run began'],
      [{ secret: 'HOME' }, secret, 'the run had the secret TOKEN; give it again'],
      [{ 'steps-file': 'other.tsv' }, secret, otherInputs],
      [{ image: 'other' }, secret, otherInputs],
      [{ env: 'A=1' }, secret, otherInputs],
      [{ log: 'other.log' }, secret, `the run's log is ${join(folder, 'run.log')}; give the same --log`],
    ];
    for (const [flags, token, message] of refusals) {
      const { code, stderr } = await resume(flags, token).ended;
      expect({ flags, code, stderr }).toEqual({ flags, code: 2, stderr: expect.stringContaining(message) });
      for (const value of [secret, 'x-another-value']) expect(stderr).not.toContain(value);
    }
    cluster.cluster.faults.set([{ do: 'delay', ...exec('send'), ms: 3000 }]);
    const again = resume();
    await again.says('three: success');
    const second = await resume().ended;
    expect(second).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`is under way in process ${again.pid}`),
    });
    await expectWholeRun(left, await again.ended);
  });

  it('is not there for another name, or after its end', async () => {
    const { code, stderr } = await resume().ended;
    expect(code).toBe(2);
    expect(stderr).toContain('no runner left the run "demo" unfinished here');
  });

  it('outlives a run without --resume, which finds its name taken', async () => {
    const left = await killed([], inStepTwo);
    const { code, stderr } = await run().ended;
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('--resume takes it up') });
    await expectWholeRun(left, await resume().ended);
  });

  it('ends badly where its pod has ended, and keeps what was judged', async () => {
    const left = await killed([], inStepTwo);
    await cluster.call('DELETE', `${pods}/${left.place?.kind === 'job' ? left.place.pod : ''}`);
    const { code, stderr } = await resume().ended;
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringMatching(/error, Pod(Deleted|Failed): /),
    });
    expect(await result()).toMatchObject({
      status: 'error',
      run: { id: left.run.id },
      steps: [{ status: 'success', exitCode: 0 }, { status: 'skipped' }, { status: 'skipped' }],
      job: { deleted: true },
    });
    expect((await cluster.call('GET', jobs)).json).toMatchObject({ items: [] });
    expect(await readdir(stateFolder())).toEqual([]);
  });

  it('never touches a Job of the same name that is not its own', async () => {
    const left = await killed([], inStepTwo);
    const path = `${jobs}/${left.place?.name}`;
    await cluster.call('DELETE', `${path}?propagationPolicy=Background`);
    await until(
      'the end of the Job',
      async () => (await cluster.call('GET', path)).code === 404 || undefined,
    );
    await cluster.call('POST', jobs, jobManifest(left.place?.name ?? ''));
    const { code, stderr } = await resume().ended;
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining('belongs to another run now'),
    });
    expect((await cluster.call('GET', path)).code).toBe(200);
    await cluster.call('DELETE', `${path}?propagationPolicy=Background`);
  });

  it('can be cancelled when it is taken up, and is gone then', async () => {
    await killed([], inStepTwo);
    const again = resume();
    await again.says('two 2');
    again.kill('SIGINT');
    expect((await again.ended).code).toBe(130);
    expect(await result()).toMatchObject({ status: 'cancelled', job: { deleted: true } });
    expect((await cluster.call('GET', jobs)).json).toMatchObject({ items: [] });
    expect(await readdir(stateFolder())).toEqual([]);
  });
});

describe('attach', () => {
  const attach = (...argv: readonly string[]): Running =>
    start([process.execPath, built.main, 'attach', ...argv], { cwd: folder });

  it('shows the whole masked log of a live run, and ends with it', async () => {
    cluster.cluster.faults.set([{ do: 'delay', ...exec('send'), ms: 2500 }]); // so that it is met alive
    const running = run();
    await running.says('two 2');
    const { code, stdout, stderr } = await attach('demo').ended;
    expect((await running.ended).code).toBe(0);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.equals(wholeLog)).toBe(true);
  });

  it('leaves the run alone when it is ended', async () => {
    cluster.cluster.faults.set([{ do: 'delay', ...exec('send'), ms: 2500 }]); // so that it is met alive
    const running = run();
    await running.says('two 2');
    const following = attach('demo');
    await following.says('two 2');
    following.kill('SIGINT');
    expect((await following.ended).code).toBe(130);
    expect((await running.ended).code).toBe(0);
  });

  it('refuses where there is nothing to follow', async () => {
    const { code, stderr } = await attach('demo').ended;
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('no run "demo" with a --log file is under way on this machine'),
    });
    expect((await attach().ended).code).toBe(2);
  });
});
