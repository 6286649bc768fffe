import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type RunResult, resultSchema } from '../../src/run/result-schema.ts';
import { type BuiltCommand, buildCommand, type Running, start } from '../../test/cli/built-command.ts';
import type { Faults } from '../relay/faults.ts';
import { nameOf, type Rule } from '../relay/rules.ts';
import { expectPlaceGone } from './command-run.ts';
import { eventually } from './eventually.ts';
import { removeFolder, temporaryFolder } from './folders.ts';
import type { BreakingRoad, Venue } from './venue.ts';

const secret = 'tok-77c1e04ab9';
const steps = [
  'one\techo x >>/outputs/runs-of-one; seq 1 300; ls',
  'two\techo x >>/outputs/runs-of-two; for i in 1 2 3 4 5 6 7 8; do echo "two $i"; sleep 0.2; done; printf end',
  'three\techo x >>/outputs/runs-of-three; echo "with $TOKEN"; head -c 400000 /dev/zero >/outputs/zeros',
];
const own = [
  `${Array.from({ length: 300 }, (_, at) => `${at + 1}\n`).join('')}large\n`,
  `${[1, 2, 3, 4, 5, 6, 7, 8].map((i) => `two ${i}\n`).join('')}end`,
  'with ***\n',
];

/** A runner that was killed by SIGKILL, and its command given again with `--resume`: the run ends as if nothing had been. */
export function resumeContract(venue: Venue): void {
  let folder = '';
  let built: BuiltCommand | undefined;
  beforeAll(async () => {
    folder = await temporaryFolder();
    built = await buildCommand();
  });
  afterAll(async () => {
    await built?.[Symbol.asyncDispose]();
    await removeFolder(folder);
  });

  function run(here: string, road: BreakingRoad, more: readonly string[] = []): Running {
    const argv = [
      ...['run', '--name', here, '--workdir', join(here, 'tree'), '--steps-file', join(here, 'steps.tsv')],
      ...[
        '--outputs',
        join(here, 'out'),
        '--log',
        join(here, 'run.log'),
        '--result',
        join(here, 'result.json'),
      ],
      ...['--secret', 'TOKEN', '--image', 'busybox:1.36', '--compress', 'none'],
      ...road.arguments,
      ...more,
    ];
    return start([process.execPath, built?.main ?? '', ...argv], { cwd: here, env: { TOKEN: secret } });
  }

  async function expectWholeRun(here: string): Promise<void> {
    const result: RunResult = resultSchema.parse(
      JSON.parse(await readFile(join(here, 'result.json'), 'utf8')),
    );
    expect(result).toMatchObject({
      status: 'success',
      reason: null,
      outputs: { files: 4, complete: true },
    });
    const log = await readFile(join(here, 'run.log'));
    const cut = result.steps.map((step) =>
      log.subarray(step.log?.offset, (step.log?.offset ?? 0) + (step.log?.bytes ?? 0)).toString(),
    );
    expect(cut).toEqual(own);
    // and nothing else but a line before each
    expect(log.toString().split('\n')).toHaveLength(own.join('').split('\n').length + own.length + 1);
    for (const name of ['one', 'two', 'three'])
      expect(await readFile(join(here, `out/runs-of-${name}`), 'utf8'), name).toBe('x\n');
    expect(await readFile(join(here, 'out/zeros'))).toHaveLength(400_000);
    await expectPlaceGone(venue, result);
  }

  async function prepared(): Promise<string> {
    const here = await mkdtemp(join(folder, 'run-'));
    await mkdir(join(here, 'tree'));
    await writeFile(join(here, 'tree/large'), Buffer.alloc(3_000_000, 'large '));
    await writeFile(join(here, 'steps.tsv'), `${steps.join('\n')}\n`);
    return here;
  }

  /** Kills the run when it is time, and takes it up again. */
  async function killedAndResumed(
    rules: readonly Rule[],
    isTime: (faults: Faults, log: string) => boolean,
  ): Promise<void> {
    const here = await prepared();
    await using road = await venue.openRoad(here);
    const { faults } = road;
    faults.add(...rules);
    const killed = run(here, road);
    onTestFinished(() => killed.kill('SIGKILL'));
    await eventually('the moment to kill', async () => {
      const log = await readFile(join(here, 'run.log'), 'utf8').catch(() => '');
      return isTime(faults, log) || undefined;
    });
    killed.kill('SIGKILL');
    await killed.ended;
    faults.clear();
    const resumed = run(here, road, ['--resume']);
    onTestFinished(() => resumed.kill('SIGKILL'));
    const { code, stdout, stderr } = await resumed.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.toString()).not.toContain(secret);
    await expectWholeRun(here);
  }

  describe('a runner that is killed is taken up again', () => {
    for (const [moment, rule] of Object.entries(venue.obstacles)) {
      const struck = nameOf(rule, String(rule.kind));
      it(moment, () => killedAndResumed([rule], ({ applied }) => (applied.get(struck) ?? 0) > 0));
    }

    it('in a step', () => killedAndResumed([], (_, log) => log.includes('two 3\n')));
  });
}
