import { createHash } from 'node:crypto';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CommandOptions, type Ended, expectPlaceGone, runCommand } from './command-run.ts';
import { eventually } from './eventually.ts';
import { removeFolder, temporaryFolder } from './folders.ts';
import type { Venue } from './venue.ts';

/** The command, from argv to exit code, with nothing between it and the place. */
export function commandContract(venue: Venue): void {
  let folder = '';
  let runs = 0;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => removeFolder(folder));

  /** Runs the steps with a checkout of one file. */
  async function run(steps: string, { args = [], ...options }: Partial<CommandOptions> = {}): Promise<Ended> {
    const here = join(folder, `run-${runs++}`);
    await mkdir(join(here, 'checkout'), { recursive: true });
    await writeFile(join(here, 'checkout/hello.txt'), 'hello from the checkout\n');
    await writeFile(join(here, 'steps.tsv'), steps);
    return runCommand(here, {
      ...options,
      args: [
        ...['--name', here, '--workdir', join(here, 'checkout'), '--steps-file', join(here, 'steps.tsv')],
        ...venue.arguments,
        ...['--grace', '1s'],
        ...args,
      ],
    });
  }

  it('runs the example of the README, told by variables where', async () => {
    const ended = await runCommand(join(folder, 'example'), {
      args: ['--name', 'demo', '--workdir', 'examples', '--steps-file', 'examples/steps.tsv'],
      environment: venue.environment,
    });
    expect(ended.code).toBe(0);
    expect(ended.result).toMatchObject({
      status: 'success',
      run: { name: 'demo', runner: 'did:plc:runner' },
    });
    expect(await readFile(join(ended.outputs, 'report.txt'), 'utf8')).toMatch(
      /^lines: \d+\nmade by: report\n$/,
    );
    await expectPlaceGone(venue, ended.result);
  });

  it('brings a checkout there, the log and the outputs back, and says so in the result', async () => {
    const steps = [
      '# two steps',
      'look\tcat hello.txt; ls /work',
      'build\tmkdir -p /outputs/deep; echo built >/outputs/deep/result.txt; echo "$KNOTLESS_STEP $CI"',
    ];
    const ended = await run(`${steps.join('\n')}\n`);
    expect(ended.stderr).toBe('');
    expect(ended.code).toBe(0);
    expect(ended.result).toMatchObject({
      status: 'success',
      reason: null,
      outputs: { files: 1, complete: true },
      steps: [
        { name: 'look', status: 'success', exitCode: 0 },
        { name: 'build', status: 'success', exitCode: 0 },
      ],
    });
    const [look, build] = ended.result.steps.map(({ log }) =>
      ended.log.slice(log?.offset, (log?.offset ?? 0) + (log?.bytes ?? 0)),
    );
    expect(look).toBe('hello from the checkout\nhello.txt\n');
    expect(build).toBe('build true\n');
    expect(await readFile(join(ended.outputs, 'deep/result.txt'), 'utf8')).toBe('built\n');
    await expectPlaceGone(venue, ended.result);
  });

  it('keeps a step’s exit code, skips what follows, and still fetches the outputs', async () => {
    const ended = await run('fails\techo report >/outputs/report; exit 42\nnever\techo never\n');
    expect(ended.code).toBe(1);
    expect(ended.result).toMatchObject({
      status: 'failed',
      reason: { code: 'StepFailed' },
      steps: [
        { name: 'fails', status: 'failed', exitCode: 42 },
        { name: 'never', status: 'skipped', exitCode: null },
      ],
      outputs: { files: 1, complete: true },
    });
    expect(ended.log).not.toContain('never\n');
    await expectPlaceGone(venue, ended.result);
  });

  it('masks a secret in everything that comes out', async () => {
    const secret = createHash('sha256').update(folder).digest('hex');
    const ended = await run('say\techo "it is $TOKEN"; printf %s "$TOKEN" | wc -c\n', {
      args: ['--secret', 'TOKEN', '--events', '-', '--verbose'],
      environment: { TOKEN: secret },
    });
    expect(ended.code).toBe(0);
    expect(ended.log).toMatch(/^it is \*+\n *64$/m);
    expect([ended.stdout, ended.stderr, ended.log, JSON.stringify(ended.result)].join()).not.toContain(
      secret,
    );
  });

  it('ends a step that takes too long, by a code of its own', async () => {
    const ended = await run('slow\techo begun; sleep 60\n', { args: ['--step-timeout', '2s'] });
    expect(ended.code).toBe(4);
    expect(ended.result).toMatchObject({ status: 'timeout', reason: { code: 'StepTimeout' } });
    expect(ended.log).toContain('begun\n');
    await expectPlaceGone(venue, ended.result);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('cancels in order on %s', async (signal, code) => {
    const ended = await run('wait\techo kept >/outputs/kept; echo ready; sleep 60\n', {
      meanwhile: async (child, log) => {
        await eventually('the step is ready', async () =>
          (await readFile(log, 'utf8').catch(() => '')).includes('ready\n') ? true : undefined,
        );
        child.kill(signal);
      },
    });
    expect(ended.code).toBe(code);
    expect(ended.result).toMatchObject({ status: 'cancelled', reason: { code: 'Cancelled' } });
    await access(join(ended.outputs, 'kept'));
    await expectPlaceGone(venue, ended.result);
  });
}
