import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { StepRequest, StepVerdict } from '../../src/executor/executor.ts';
import { PodSession } from '../../src/executor/step-protocol/pod-session.ts';
import { LocalPod, type LocalPodOptions, sessionOptions, shells } from './local-pod.ts';

const never = new AbortController().signal;

async function withSession<T>(
  pod: LocalPodOptions,
  work: (session: PodSession, pod: LocalPod) => Promise<T>,
): Promise<T> {
  await using local = await LocalPod.start(pod);
  await using session = await PodSession.open(local.port, sessionOptions, AbortSignal.timeout(20_000));
  return await work(session, local);
}

interface Ran {
  readonly verdict: StepVerdict;
  readonly output: Buffer;
}

async function run(
  session: PodSession,
  index: number,
  command: string,
  extra: Partial<StepRequest> = {},
  stop: AbortSignal = never,
): Promise<Ran> {
  const chunks: Uint8Array[] = [];
  const step = {
    index,
    nonce: `n0nce${index}`,
    name: `s${index}`,
    command,
    environment: {},
    secrets: {},
    following: 1,
    ...extra,
  };
  const verdict = await session.runStep(step, (bytes) => void chunks.push(bytes), { stop, abandon: never });
  return { verdict, output: Buffer.concat(chunks) };
}

describe.each(shells)('a step under %s', (shell) => {
  test('its exit code and every byte arrive', async () => {
    await withSession({ shell }, async (session) => {
      let index = 0;
      for (const code of [0, 1, 2, 42, 125, 126, 127, 130, 137, 143, 255]) {
        const { verdict, output } = await run(session, index++, `printf 'out %s' ${code}; exit ${code}`);
        expect(verdict).toMatchObject({ kind: 'exited', exitCode: code });
        expect(output.toString()).toBe(`out ${code}`);
      }
      expect((await run(session, index++, 'kill -9 $$')).verdict).toMatchObject({ exitCode: 137 });
      expect((await run(session, index++, 'false; echo not here')).verdict).toMatchObject({ exitCode: 1 });
    });
  });

  test('200,000 lines arrive whole', async () => {
    await withSession({ shell }, async (session) => {
      const { output } = await run(session, 0, 'seq 1 200000');
      const lines = output.toString().split('\n');
      expect(lines.length).toBe(200_001);
      expect(lines[199_999]).toBe('200000');
    });
  });

  test('stdout and stderr keep their order, and /dev/stderr cuts nothing', async () => {
    await withSession({ shell }, async (session) => {
      const { output } = await run(
        session,
        0,
        'echo a; echo b >&2; echo c >/dev/stderr; echo d >/dev/stdout; echo e',
      );
      expect(output.toString()).toBe('a\nb\nc\nd\ne\n');
    });
  });

  test('stdin is empty', async () => {
    await withSession({ shell }, async (session) => {
      const { output } = await run(session, 0, 'cat; while read -r l; do echo "[$l]"; done; echo after');
      expect(output.toString()).toBe('after\n');
    });
  });

  test('variables and secrets arrive exactly, and are gone from the disk', async () => {
    await withSession({ shell }, async (session, pod) => {
      const odd = `it's "quoted" $HOME \\n \`x\`\nsecond\tline é 🎉 `;
      const { output } = await run(session, 0, 'printf "%s|%s" "$ODD" "$TOKEN"', {
        environment: { ODD: odd, UID: '5' },
        secrets: { TOKEN: 's3cret-value' },
      });
      expect(output.toString()).toBe(`${odd}|s3cret-value`);
      const { output: found } = await run(
        session,
        1,
        `for f in ${pod.root}/.knotless/s/* ${pod.root}/.knotless-log/*; do [ -p "$f" ] || grep -lF s3cret-"value" "$f" || :; done`,
      );
      expect(found.toString()).toBe(`${pod.root}/.knotless-log/0\n`);
    });
  });

  test('what a step leaves running neither holds it open nor writes into the next log', async () => {
    await withSession({ shell }, async (session, pod) => {
      const go = join(pod.root, 'tmp/go');
      const noise = `(while [ ! -e ${go} ]; do sleep 0.05; done; echo late; : >${go}.done) & echo early`;
      expect((await run(session, 0, noise)).output.toString()).toBe('early\n');
      const { output } = await run(
        session,
        1,
        `: >${go}; while [ ! -e ${go}.done ]; do sleep 0.05; done; echo second`,
      );
      expect(output.toString()).toBe('second\n');
      expect(readFileSync(join(pod.root, '.knotless-log/0'), 'latin1')).toContain('late');
    });
  });

  test('SIGINT is not ignored in a step', async () => {
    await withSession({ shell }, async (session) => {
      const { output, verdict } = await run(
        session,
        0,
        'trap "echo caught; exit 3" INT; kill -INT $$; sleep 1; echo missed',
      );
      expect(output.toString()).toBe('caught\n');
      expect(verdict).toMatchObject({ exitCode: 3 });
    });
  });

  test('stop ends a step that hears TERM, with what it left in the background', async () => {
    await withSession({ shell }, async (session, pod) => {
      const stop = new AbortController();
      const step = run(
        session,
        0,
        `sleep 300 & setsid sleep 301 & echo begun; sleep 302`,
        { following: 0 },
        stop.signal,
      );
      await reached(pod, 'begun');
      stop.abort();
      const { verdict, output } = await step;
      expect(verdict).toMatchObject({ kind: 'stopped', signal: 'TERM', exitCode: 143 });
      expect(output.toString()).toBe('begun\n');
      expect(pod.processes().map(commandOf)).not.toContainEqual(expect.stringMatching(/^sleep 30\d/));
    });
  });

  test('stop kills a step that does not hear TERM', async () => {
    await withSession({ shell }, async (session, pod) => {
      const stop = new AbortController();
      const step = run(session, 0, `trap '' TERM; echo begun; while :; do sleep 0.2; done`, {}, stop.signal);
      await reached(pod, 'begun');
      stop.abort();
      expect((await step).verdict).toMatchObject({ kind: 'stopped', signal: 'KILL', exitCode: 137 });
    });
  });
});

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
  } catch {
    return ''; // ended meanwhile
  }
};

/** Until the step has written this; bounded by the test's own deadline. */
async function reached(pod: LocalPod, text: string): Promise<void> {
  const log = join(pod.root, '.knotless-log/0');
  writeFileSync(log, '', { flag: 'a' });
  while (!readFileSync(log, 'latin1').includes(text)) await new Promise((resolve) => setImmediate(resolve));
}
