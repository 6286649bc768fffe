import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type FileJournalOptions, fileJournal } from '../../src/run/journal/file-journal.ts';
import { isHeld, markOfProcess } from '../../src/run/journal/journal-lock.ts';
import { LocalExecutor } from './support/local-executor.ts';
import { RunFixture, step } from './support/run-fixture.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'knotless-journal-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function journal(more: Partial<FileJournalOptions> = {}) {
  const holder = await markOfProcess(process.pid);
  return fileJournal({ folder, cluster: 'https://one', namespace: 'ns', name: 'a run', holder, ...more });
}

/** The mark of a process that lived and has ended. */
async function deadHolder() {
  const child = spawn('sleep', ['60']);
  const mark = await markOfProcess(child.pid ?? 0);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return mark;
}

test('a run keeps its journal while it lasts, for its owner alone, and removes it', async () => {
  using fixture = new RunFixture();
  const seen: { mode: number; text: string }[] = [];
  fixture.executor = new LocalExecutor({
    step: async ({ index }) => {
      const file = readdirSync(folder).find((name) => name.endsWith('.json')) ?? '';
      // a step that has passed is written down while the next one runs
      await vi.waitFor(() =>
        expect(JSON.parse(readFileSync(join(folder, file), 'utf8')).steps).toHaveLength(index),
      );
      seen.push({
        mode: statSync(join(folder, file)).mode & 0o777,
        text: readFileSync(join(folder, file), 'utf8'),
      });
    },
  });
  const secrets = { TOKEN: 'tok-0c7b5', BLANK: '' };
  const result = await fixture.run([step('one', 'true'), step('two', 'true')], {
    journal: await journal(),
    secrets,
  });
  expect(result.status).toBe('success');
  expect(seen.map(({ mode }) => mode)).toEqual([0o600, 0o600]);
  expect(JSON.parse(seen[1]?.text ?? '')).toMatchObject({
    state: 'loaded',
    steps: [{ name: 'one', status: 'success' }],
  });
  expect(seen[1]?.text).not.toContain('tok-0c7b5');
  expect(readdirSync(folder)).toEqual([]);
});

test('each step has a nonce of its own, which nothing that the journal shows of another tells', async () => {
  using fixture = new RunFixture();
  await fixture.run([step('one', 'true'), step('two', 'true')]);
  const [one, two] = fixture.executor.steps.map(({ nonce }) => nonce);
  expect(one).toMatch(/^[0-9a-f]{32}$/);
  expect(two).toMatch(/^[0-9a-f]{32}$/);
  expect(one).not.toBe(two);
});

test('a run goes on without a journal where none can be kept, and says so', async () => {
  using fixture = new RunFixture();
  writeFileSync(join(folder, 'file'), '');
  const result = await fixture.run([step('one', 'true')], {
    journal: await journal({ folder: join(folder, 'file/runs') }),
  });
  expect(result.status).toBe('success');
  expect(result.warnings).toContainEqual(expect.stringContaining('cannot be taken up with --resume'));
});

test('a journal that fails on the way is removed: an old record must not be taken for the newest', async () => {
  using fixture = new RunFixture();
  const real = await journal();
  let saves = 0;
  const failing = {
    hold: async () => {
      const held = await real.hold();
      return {
        ...held,
        save: async (record: Parameters<typeof held.save>[0]) => {
          saves += 1;
          if (saves > 2) throw new Error('no space left on device');
          return held.save(record);
        },
      };
    },
  };
  const left: string[][] = [];
  fixture.executor = new LocalExecutor({ step: () => void left.push(readdirSync(folder)) });
  const result = await fixture.run([step('one', 'true')], { journal: failing });
  expect(result.status).toBe('success');
  expect(result.warnings).toContainEqual(expect.stringContaining('no space left on device'));
  expect(left).toEqual([[]]);
});

test('nothing to take up, no journal at all, a damaged one: bad input, and the log is not touched', async () => {
  using fixture = new RunFixture();
  await fixture.run([step('one', 'echo kept')]);
  const log = fixture.log();
  const resume = async (more: object): Promise<unknown> =>
    fixture.run([step('one', 'echo kept')], { resume: true, ...more });
  await expect(resume({ journal: await journal() })).rejects.toMatchObject({ code: 'BadInput' });
  await expect(resume({})).rejects.toMatchObject({ code: 'BadInput' });
  const held = await (await journal()).hold();
  await held[Symbol.asyncDispose]();
  fixture.executor = new LocalExecutor({
    open: () => {
      const file = readdirSync(folder).find((name) => name.endsWith('.json')) ?? '';
      writeFileSync(join(folder, 'copy'), file);
    },
  });
  await fixture.run([step('one', 'true')], { journal: await journal(), log: undefined });
  writeFileSync(join(folder, readFileSync(join(folder, 'copy'), 'utf8')), '{"version":2}');
  await expect(resume({ journal: await journal() })).rejects.toMatchObject({
    code: 'BadInput',
    message: expect.stringContaining('another version of this program, or damaged'),
  });
  expect(fixture.log()).toEqual(log);
});

test('one process at a time holds a run; a dead one, or a later one of its number, holds nothing', async () => {
  const here = await journal();
  {
    await using _ = await here.hold();
    await expect(here.hold()).rejects.toMatchObject({
      code: 'BadInput',
      message: expect.stringContaining(`under way in process ${process.pid}`),
    });
    await using _other = await (await journal({ cluster: 'https://two' })).hold();
  }
  const dead = await deadHolder();
  const left = await (await journal({ holder: dead })).hold(); // never disposed of, as a killed one
  expect(await left.read()).toBeNull();
  const lock = join(folder, readdirSync(folder)[0] ?? '');
  expect(await isHeld(lock)).toBe(false);
  await (await here.hold())[Symbol.asyncDispose]();

  const { pid } = await markOfProcess(process.pid);
  await (await journal({ holder: { pid, begun: '1' } })).hold();
  await (await here.hold())[Symbol.asyncDispose]();
  expect(readdirSync(folder)).toEqual([]);
});

test('of many that want the run of a dead process, one gets it', async () => {
  await (await journal({ holder: await deadHolder() })).hold();
  const { begun } = await markOfProcess(process.ppid);
  const others = [process.pid, process.ppid];
  const attempts = await Promise.allSettled(
    others.map(async (pid) =>
      (await journal({ holder: pid === process.ppid ? { pid, begun } : await markOfProcess(pid) })).hold(),
    ),
  );
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});
