import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { runCli } from '../../src/cli/application.ts';
import { objectName } from '../../src/executor/object-name.ts';
import { testContext } from '../../test/cli/test-context.ts';
import { type Ended as EndedRun, runCommand } from '../contract/command-run.ts';
import { eventually } from '../contract/eventually.ts';
import { removeFolder, temporaryFolder } from '../contract/folders.ts';
import type { Venue } from '../contract/venue.ts';
import type { Engine } from './engine.ts';

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const listed = z.object({ engine: z.string(), runs: z.array(z.record(z.string(), z.unknown())) });
const goesOn = ['sh', '-c', 'trap "exit 143" TERM; while :; do sleep 1; done'];

/** `ls`, `cancel` and `prune` with `--executor docker`. */
export function engineCommandsContract(venue: Venue, { url, view }: Engine): void {
  let folder = '';
  let runs = 0;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => removeFolder(folder));

  async function command(...words: readonly string[]): Promise<Ended> {
    const { context, stdout, stderr } = testContext({ HOME: folder, USER: 'ada' }, folder);
    await runCli([...words, '--executor', 'docker', '--engine', url], context);
    return { code: context.process.exitCode ?? 0, stdout: stdout(), stderr: stderr() };
  }

  /** A run in a process of its own whose step does not end by itself; `meanwhile` is done while that runs. */
  async function liveRun(
    name: string,
    meanwhile: () => Promise<void>,
    step = 'echo ready; sleep 60',
  ): Promise<EndedRun> {
    const steps = join(folder, `hold-${runs}.tsv`);
    await writeFile(steps, `hold\t${step}\n`);
    return runCommand(join(folder, `run-${runs++}`), {
      args: ['--name', name, '--steps-file', steps, ...venue.arguments],
      meanwhile: async (child, log) => {
        try {
          await eventually(`the run ${name} is ready`, async () =>
            (await readFile(log, 'utf8').catch(() => '')).includes('ready\n') ? true : undefined,
          );
          await meanwhile();
        } finally {
          child.kill('SIGTERM');
        }
      },
    });
  }

  /** A container of ours that nobody looks after, removed when the test is over. */
  async function stray(name: string, argv: readonly string[]): Promise<string> {
    const Labels = {
      'app.kubernetes.io/managed-by': 'knotless-runner-k8s',
      'knotless-runner-k8s/run-id': `id of ${name}`,
      'knotless-runner-k8s/run-name': name,
    };
    const container = objectName(name);
    await view.makeContainer(container, { Labels, Cmd: argv });
    onTestFinished(() => view.remove(container));
    return container;
  }

  const ended = (container: string): Promise<true> =>
    eventually(`${container} has ended`, async () =>
      (await view.container(container))?.State.Status === 'exited' ? true : undefined,
    );

  it('ls says on standard error that there is nothing, and gives an empty list as JSON', async () => {
    expect(await command('ls')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining(`no runs on the engine ${url}`),
    });
    const { stdout, stderr } = await command('ls', '-ojson');
    expect({ ...listed.parse(JSON.parse(stdout)), stderr }).toEqual({ engine: url, runs: [], stderr: '' });
  });

  it('ls shows a live run, prune leaves it alone, and cancel ends it as cancelled, with 143', async () => {
    const name = 'My build: main';
    const run = await liveRun(name, async () => {
      expect((await command('ls')).stdout).toMatch(
        /^NAME +RUNNER +STATUS +AGE +CONTAINER\nMy build: main +did:plc:runner +Running +\d+s +knotless-my-build-main-\w+\n$/,
      );
      const { stdout } = await command('ls', '--output=json');
      expect(listed.parse(JSON.parse(stdout)).runs).toMatchObject([
        { name, runner: 'did:plc:runner', status: 'Running', kept: false, container: objectName(name) },
      ]);
      expect((await command('ls', '--runner', 'did:plc:runner')).stdout).toContain(name);
      expect((await command('ls', '--runner', 'did:plc:other')).stdout).toBe('');
      expect(await command('prune', '--yes')).toMatchObject({ code: 0, stdout: '' });
      const cancelled = await command('cancel', name);
      expect(cancelled).toMatchObject({ code: 0, stderr: '' });
      expect(cancelled.stdout).toBe(`cancelled the run "${name}" (container ${objectName(name)})\n`);
      expect(await venue.remains(objectName(name))).toEqual([]);
    });
    expect(run.result).toMatchObject({
      status: 'cancelled',
      reason: { code: 'Cancelled', message: expect.stringContaining('from elsewhere, by ada@') },
      steps: [{ name: 'hold', status: 'cancelled' }],
      container: { name: objectName(name), deleted: true },
    });
    expect(run.code).toBe(143);
  });

  it('cancel refuses a name that no run has, and leaves alone what is no run', async () => {
    const theirs = objectName('theirs');
    await view.makeContainer(theirs);
    onTestFinished(() => view.remove(theirs));
    expect(await command('cancel', 'theirs')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`no run "theirs" on the engine ${url}`),
    });
    expect((await view.container(theirs))?.State.Status).toBe('running');
  });

  it('cancel ends a run whose runner is no more: after a wait that is told, and with --now at once', async () => {
    const containers = [await stray('stray', goesOn), await stray('hasty', goesOn)];
    const began = performance.now();
    const cancelled = async (...words: readonly string[]): Promise<Ended & { ms: number }> => ({
      ...(await command('cancel', ...words)),
      ms: performance.now() - began,
    });
    const [stayed, hasty] = await Promise.all([cancelled('stray'), cancelled('hasty', '--now')]);
    expect(stayed.code).toBe(0);
    expect(stayed.stderr).toContain('waiting up to 15 s for its runner to answer');
    expect(stayed.stderr).toContain(
      'no runner has answered within 15 s, so its container is removed from here',
    );
    expect(hasty).toMatchObject({ code: 0, stderr: '' });
    expect(hasty.ms).toBeLessThan(10_000);
    for (const container of containers) expect(await venue.remains(container)).toEqual([]);
  });

  it('cancel has the steps end in order and the outputs fetched', async () => {
    const name = 'in order';
    const run = await liveRun(
      name,
      async () => {
        expect(await command('cancel', name)).toMatchObject({ code: 0 });
        expect(await venue.remains(objectName(name))).toEqual([]);
      },
      "trap 'echo asked; echo kept >/outputs/kept; exit 3' TERM; echo ready; while :; do sleep 0.2; done",
    );
    expect(run.code).toBe(143);
    expect(run.log).toMatch(/^=== step hold\nready\n(Terminated\n)?asked\n$/);
    expect(run.result).toMatchObject({
      status: 'cancelled',
      reason: { code: 'Cancelled', message: expect.stringContaining('from elsewhere, by ada@') },
      steps: [{ status: 'cancelled', exitCode: 3, signal: 'TERM' }],
      outputs: { files: 1, complete: true },
      container: { deleted: true },
    });
    expect(await readFile(join(run.outputs, 'kept'), 'utf8')).toBe('kept\n');
  });

  it('cancel --now removes the container, and its runner reports the run as cancelled', async () => {
    const name = 'in haste';
    const run = await liveRun(name, async () => {
      expect(await command('cancel', name, '--now')).toMatchObject({ code: 0, stderr: '' });
      expect(await venue.remains(objectName(name))).toEqual([]);
    });
    expect(run.code).toBe(143);
    expect(run.result).toMatchObject({
      status: 'cancelled',
      reason: { code: 'Cancelled', message: expect.stringContaining('from elsewhere, by ada@') },
    });
  });

  it('prune lists what is left over, and removes it only when told to', async () => {
    const over = await stray('over', ['sh', '-c', 'exit 75']);
    const alive = await stray('alive', goesOn);
    await ended(over);
    const dry = await command('prune');
    expect(dry.stdout).toMatch(
      /^KIND +NAME +RUN +WHY\ncontainer +knotless-over-\w+ +over +it has ended: [^\n]+\n$/,
    );
    expect(dry).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing was removed') });
    expect((await command('ls')).stdout).toMatch(/^over +<none> +Failed \(ConnectionLost\) +\d+s/m);
    expect(await view.container(over)).not.toBeNull();
    expect(await command('prune', '--yes')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('removed it'),
    });
    expect(await view.container(over)).toBeNull();
    expect(await view.container(alive)).not.toBeNull();
  });

  it('no name can drive the terminal', async () => {
    await stray('\u001b[2J\u001b]0;title\u0007evil\nRunning\u009b31m', goesOn);
    const { stdout } = await command('ls');
    expect(stdout).toContain('evil');
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    expect(stdout.split('\n')).toHaveLength(3);
  });

  it('refuses what only a cluster has a meaning for', async () => {
    for (const words of [['ls'], ['prune'], ['cancel', 'x']]) {
      expect(await command(...words, '--namespace', 'ci')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--namespace'),
      });
    }
  });
}
