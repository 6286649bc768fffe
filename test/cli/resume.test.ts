import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FaultRule } from '../../src/embedded/faults/rules.ts';
import { type JournalRecord, journalSchema } from '../../src/run/journal/journal-record.ts';
import { type RunResult, resultSchema } from '../../src/run/result-schema.ts';
import { jobs, pods, type TestCluster, testCluster, until } from '../embedded/fixture.ts';
import { type BuiltCommand, buildCommand, type Ended, type Running, start } from './built-command.ts';

const secret = 'tok-5f0e9a7c31';
const steps = [
  'one\techo x >>/outputs/runs-of-one; i=0; while [ $i -lt 300 ]; do i=$((i+1)); echo "one $i"; done; ls',
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

function run(...more: readonly string[]): Running {
  const flags =
    '--name=demo --workdir=tree --outputs=out --log=run.log --result=result.json --events=events.jsonl';
  const argv = [process.execPath, built.main, 'run', ...flags.split(' '), '--steps-file=steps.tsv'];
  const env = { TOKEN: secret };
  return start([...argv, `--kubeconfig=${cluster.cluster.kubeconfigPath}`, '--secret=TOKEN', ...more], {
    cwd: folder,
    env,
  });
}

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

describe('a runner that was killed', () => {
  it('before the Job', async () => {
    const left = await killed([{ do: 'delay', kind: 'other', match: '/version', ms: never, times: 1 }]);
    expect((await cluster.call('GET', jobs)).json).toMatchObject({ items: [] });
    await expectWholeRun(left, await run('--resume').ended);
  });

  it('while the Job was on its way', async () => {
    const left = await killed([{ do: 'delay', kind: 'create-job', ms: 700, times: 1 }]);
    await expectWholeRun(left, await run('--resume').ended);
  });

  it('after the Job was made, before it was answered', async () => {
    const left = await killed([
      { do: 'lose', kind: 'create-job', times: 1 },
      { do: 'delay', kind: 'get-job', ms: never, times: 1 },
    ]);
    expect(left.state).toBe('waiting');
    await expectWholeRun(left, await run('--resume').ended);
  });

  it('in the upload: what came of it goes', async () => {
    await writeFile(join(folder, 'tree/a-stale'), 'of the first try');
    const left = await killed(
      [{ do: 'stall', ...exec('receive'), bytes: 1_000_000 }],
      ({ state }) => state === 'open',
    );
    await rm(join(folder, 'tree/a-stale'));
    await expectWholeRun(left, await run('--resume').ended);
  });

  it('in a step', async () => {
    const log = join(folder, 'run.log');
    const left = await killed([], async () => (await readFile(log, 'utf8')).includes('two 5\n'));
    expect(left.steps).toHaveLength(1);
    await expectWholeRun(left, await run('--resume').ended);
    const events = (await readFile(join(folder, 'events.jsonl'), 'utf8')).trimEnd().split('\n');
    expect(events.map((line) => JSON.parse(line)).filter(({ type }) => type === 'finished')).toHaveLength(1);
  });

  it('between two steps', async () => {
    const left = await killed(
      [{ do: 'delay', ...exec('step'), skip: 1, ms: never }],
      ({ steps: ended }) => ended.length === 1,
    );
    await expectWholeRun(left, await run('--resume').ended);
  });

  it('in the download', async () => {
    const left = await killed(
      [{ do: 'stall', ...exec('send'), bytes: 100_000 }],
      ({ state }) => state === 'stepped',
    );
    await expectWholeRun(left, await run('--resume').ended);
  });

  it('in the cleanup, before the Job went', async () => {
    const left = await killed([{ do: 'delay', kind: 'delete-job', ms: never, times: 1 }]);
    expect(left.state).toBe('fetched');
    await expectWholeRun(left, await run('--resume').ended);
  });

  it('in the cleanup, after the Job went', async () => {
    const left = await killed([{ do: 'delay', kind: 'delete-job', ms: never, times: 1 }]);
    await cluster.call('DELETE', `${jobs}/${left.place?.name}?propagationPolicy=Foreground`);
    await until('the end of the Job', async () => {
      const { code } = await cluster.call('GET', `${jobs}/${left.place?.name}`);
      return code === 404 || undefined;
    });
    await expectWholeRun(left, await run('--resume').ended);
  });

  it('again and again', async () => {
    const log = join(folder, 'run.log');
    await killed([], async () => (await readFile(log, 'utf8')).includes('one 1\n'));
    for (const word of ['two 3\n', 'two 7\n']) {
      const again = run('--resume');
      await until(word, async () => (await readFile(log, 'utf8')).includes(word) || undefined);
      again.kill('SIGKILL');
      await again.ended;
    }
    const left = await journal();
    if (!left) throw new Error('there is no journal');
    await expectWholeRun(left, await run('--resume').ended);
  });
});
