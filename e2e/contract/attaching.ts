import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Ended } from './command-run.ts';
import { removeFolder, temporaryFolder } from './folders.ts';
import type { Started } from './in-process.ts';
import { holds, logOf, runBeside } from './run-beside.ts';

/** Where `attach` from elsewhere than the runner's machine is tried. */
export interface AttachGround {
  /** How `run` is told to run there. */
  readonly arguments: readonly string[];
  /** `attach` with these words, by somebody who has no more rights than that needs. */
  attach(folder: string, words: readonly string[]): Promise<Started>;
  /** Resolves once the run's place is there. */
  isThere(name: string): Promise<true>;
  /** How the end of a run is told. */
  readonly over: string;
  /** Where a run is that is not there. */
  readonly where: string;
}

/** `attach` from elsewhere than the runner's machine. */
export function attachingContract(ground: AttachGround): void {
  let folder = '';
  let runs = 0;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => removeFolder(folder));

  const withRun = (
    name: string,
    steps: readonly string[],
    meanwhile: (log: string, child: ChildProcess) => Promise<void>,
    args: readonly string[] = [],
  ): Promise<Ended> => {
    const here = join(folder, `run-${runs++}`);
    return runBeside(here, steps, ['--name', name, ...ground.arguments, ...args], meanwhile);
  };
  const attach = (name: string, words: readonly string[] = []): Promise<Started> =>
    ground.attach(folder, [name, ...words]);

  it('shows the whole masked log, from before the first step to the end, to two at once', async () => {
    const name = 'attach whole';
    const steps = [
      // the secret comes in pieces, so that it lies across the borders of what is read
      `one\tprintf 'a tok-5f0'; sleep 1; printf 'e9a7c31 with'; sleep 1; echo ' a space'; seq 1 2000; printf no-newline`,
      `two\techo "with $TOKEN"; printf '%s' "$TOKEN" | base64; exit 3`,
      'never\techo not run',
    ];
    const attached: Started[] = [];
    const ended = await withRun(
      name,
      steps,
      async (log) => {
        await ground.isThere(name);
        attached.push(await attach(name, ['--secret', 'TOKEN']));
        await holds('a ', logOf(log));
        attached.push(await attach(name, ['--secret', 'TOKEN']));
      },
      ['--secret', 'TOKEN'],
    );
    expect(ended.code).toBe(1);
    expect(attached).toHaveLength(2);
    for (const { ended: left } of attached) {
      const { code, stdout, stderr } = await left;
      expect(stderr).toContain(`the run "${name}" is over: ${ground.over}`);
      expect(code).toBe(0);
      expect(stdout).toBe(ended.log);
      expect(stdout).toContain('a ***\n1\n');
      expect(stdout + stderr).not.toContain('5f0e9a7c31');
    }
  });

  it('refuses without a secret of the run, naming it, and shows nothing', async () => {
    const name = 'attach without';
    const ended = await withRun(
      name,
      ['only\techo "with $TOKEN"; while [ ! -e go ]; do sleep 0.2; done'],
      async (log, child) => {
        await holds('with ***', logOf(log));
        const { code, stdout, stderr } = await (await attach(name)).ended;
        expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
        expect(stderr).toContain('missing: TOKEN; give each as --secret NAME');
        child.kill('SIGTERM');
      },
      ['--secret', 'TOKEN'],
    );
    expect(ended.code).toBe(143);
  });

  it('leaves the run alone when it is ended, and nothing of itself in its place', async () => {
    const name = 'attach and leave';
    const looks = 'ls /.knotless/w.* >/dev/null 2>&1';
    const ended = await withRun(
      name,
      [
        `only\techo begun; until ${looks}; do sleep 0.2; done; echo seen; while ${looks}; do sleep 0.2; done; echo left`,
      ],
      async () => {
        await ground.isThere(name);
        const { ended: left, stdout, send } = await attach(name);
        await holds('seen\n', stdout);
        send('SIGINT');
        expect((await left).code).toBe(130);
      },
    );
    expect(ended.code).toBe(0);
    expect(ended.log).toBe('=== step only\nbegun\nseen\nleft\n');
  });

  it('names a run that is not there', async () => {
    const { code, stdout, stderr } = await (await attach('nobody')).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`no run "nobody" ${ground.where}`);
  });
}
