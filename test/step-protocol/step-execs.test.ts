import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ExecSession } from '../../src/base/exec-session.ts';
import { PodSession } from '../../src/executor/step-protocol/pod-session.ts';
import { LocalPod, type Shell, sessionOptions, shells } from './local-pod.ts';
import { cutAfter } from './roads.ts';

const never = new AbortController().signal;

interface Place {
  readonly root: string;
  /** How many execs of the step program there have been. */
  readonly opened: () => number;
  readonly run: (index: number, command: string) => Promise<string>;
}

async function withPlace(
  shell: Shell,
  work: (place: Place) => Promise<void>,
  road: (exec: ExecSession, nth: number) => ExecSession = (exec) => exec,
  instead: Readonly<Record<string, string>> = {},
): Promise<void> {
  let opened = 0;
  const counted = (exec: ExecSession, program: string): ExecSession =>
    program === 'step' ? road(exec, opened++) : exec;
  await using pod = await LocalPod.start({ shell, road: counted, instead });
  await using session = await PodSession.open(pod.port, sessionOptions, AbortSignal.timeout(20_000));
  const run = async (index: number, command: string): Promise<string> => {
    const chunks: Uint8Array[] = [];
    const verdict = await session.runStep(
      { index, nonce: `n0nce${index}`, name: 's', command, environment: {}, secrets: {}, following: 1 },
      (bytes) => void chunks.push(bytes),
      { stop: never, abandon: never },
    );
    return `${Buffer.concat(chunks)}${verdict.exitCode}`;
  };
  await work({ root: pod.root, opened: () => opened, run });
}

describe.each(shells)('the execs of steps under %s', (shell) => {
  test('one serves all steps, one after another, each with its own bytes and exit code', async () => {
    await withPlace(shell, async ({ run, opened }) => {
      for (let index = 0; index < 6; index++)
        expect(await run(index, `seq 1 2000; printf 'no newline %s ' ${index}; exit ${index}`)).toBe(
          `${Array.from({ length: 2000 }, (_, at) => `${at + 1}\n`).join('')}no newline ${index} ${index}`,
        );
      expect(opened()).toBe(1);
    });
  });

  test('a step that leaves something running, which holds its output, does not hold up the next', async () => {
    await withPlace(shell, async ({ run, root }) => {
      const go = join(root, 'tmp/go');
      const left = `(while [ ! -e ${go} ]; do echo noise; sleep 0.02; done) & echo early`;
      expect(await run(0, left)).toContain('early');
      expect(await run(1, 'echo second')).toBe('second\n0');
      expect(existsSync(go)).toBe(false);
      expect(await run(2, `: >${go}; echo third`)).toBe('third\n0');
    });
  });

  test('one that breaks between two steps is replaced, and each step runs once', async () => {
    const breaks = (exec: ExecSession, nth: number): ExecSession =>
      nth === 0 ? cutAfter(exec, 'accepted\nfirst\n\x1en0nce0 '.length + 30) : exec;
    await withPlace(
      shell,
      async ({ run, root }) => {
        const ran = join(root, 'tmp/ran');
        expect(await run(0, `echo first; echo 0 >>${ran}`)).toBe('first\n0');
        expect(await run(1, `echo second; echo 1 >>${ran}`)).toBe('second\n0');
        expect(await run(2, `echo third; echo 2 >>${ran}`)).toBe('third\n0');
        expect(readFileSync(ran, 'utf8')).toBe('0\n1\n2\n');
      },
      breaks,
    );
  });

  test('a step inherits no descriptor of them', async () => {
    await withPlace(shell, async ({ run }) => {
      await run(0, 'true');
      expect(await run(1, 'ls -l /proc/self/fd/')).not.toMatch(/knotless-log|wake/);
    });
  });
});

// not busybox, whose shell runs its own sleep whatever is on PATH
test.each(['dash', 'bash'] as const)(
  'ticks are far between while a step prints nothing (%s)',
  async (shell) => {
    const sleep = `#!/bin/sh\necho x >>"\${0%/bin/sleep}/tmp/slept"; exec /bin/sleep "$@"\n`;
    await withPlace(
      shell,
      async ({ run, root }) => {
        expect(await run(0, '/bin/sleep 4; echo done')).toBe('done\n0');
        expect(readFileSync(join(root, 'tmp/slept'), 'utf8').length / 2).toBeLessThan(25);
      },
      undefined,
      { sleep },
    );
  },
);
