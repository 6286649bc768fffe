import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunResult, resultSchema } from '../../src/run/result-schema.ts';
import { type BuiltCommand, buildCommand, type Running, start } from '../../test/cli/built-command.ts';
import { type Relay, startRelay } from '../relay/relay.ts';
import type { Rule } from '../relay/rules.ts';
import type { Cluster } from './cluster.ts';
import { eventually } from './eventually.ts';
import { removeFolder, temporaryFolder } from './folders.ts';
import type { Transport } from './venue.ts';

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

/** What a runner meets on its road, and when it is killed. */
interface Moment {
  readonly rules: readonly Rule[];
  /** What must have struck; the kind of fault and of request. */
  readonly struck?: string;
  /** What the log must hold. */
  readonly said?: string;
}

const never = 600_000;
const moments: Readonly<Record<string, Moment>> = {
  'before the Job is made': {
    rules: [{ do: 'delay', match: '/version', ms: never, times: 1 }],
    struck: 'delay other',
  },
  'when the Job was made, before it was answered': {
    rules: [{ do: 'delay', kind: 'create-job', ms: never, times: 1 }],
    struck: 'delay create-job',
  },
  'in the upload': {
    rules: [{ do: 'stall', kind: 'exec', match: 'bin%2Freceive', at: { bytesUp: 1_000_000 }, times: 1 }],
    struck: 'stall exec',
  },
  'in a step': { rules: [], said: 'two 3\n' },
  'in the download': {
    rules: [{ do: 'stall', kind: 'exec', match: 'bin%2Fsend', at: { bytesDown: 100_000 }, times: 1 }],
    struck: 'stall exec',
  },
  'in the cleanup': {
    rules: [{ do: 'delay', kind: 'delete-job', ms: never, times: 1 }],
    struck: 'delay delete-job',
  },
};

/** A runner that was killed by SIGKILL, and its command given again with `--resume`: the run ends as if nothing had been. */
export function resumeContract(cluster: Cluster, transport: Transport): void {
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

  function run(here: string, relay: Relay, more: readonly string[] = []): Running {
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
      ...['--kubeconfig', relay.kubeconfig, '--namespace', cluster.namespace, '--transport', transport],
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
      job: { deleted: true },
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
    const left = await cluster.view.objectsOf(cluster.namespace, result.job?.name ?? '');
    expect(left).toEqual({ jobs: [], pods: [], policies: [] });
  }

  describe('a runner that is killed is taken up again', () => {
    it.for(Object.entries(moments))('%s', async ([, { rules, struck, said = '' }], { onTestFinished }) => {
      const here = await mkdtemp(join(folder, 'run-'));
      await mkdir(join(here, 'tree'));
      await writeFile(join(here, 'tree/large'), Buffer.alloc(3_000_000, 'large '));
      await writeFile(join(here, 'steps.tsv'), `${steps.join('\n')}\n`);
      await using relay = await startRelay({ kubeconfig: cluster.kubeconfig, folder: here, rules });
      const killed = run(here, relay);
      onTestFinished(() => killed.kill('SIGKILL'));
      await eventually('the moment to kill', async () => {
        const isMet = struck === undefined || (relay.applied.get(struck) ?? 0) > 0;
        const log = await readFile(join(here, 'run.log'), 'utf8').catch(() => '');
        return (isMet && log.includes(said)) || undefined;
      });
      killed.kill('SIGKILL');
      await killed.ended;
      relay.clear();
      const resumed = run(here, relay, ['--resume']);
      onTestFinished(() => resumed.kill('SIGKILL'));
      const { code, stdout, stderr } = await resumed.ended;
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout.toString()).not.toContain(secret);
      await expectWholeRun(here);
    });
  });
}
