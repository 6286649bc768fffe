import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ExecSession } from '../../src/base/exec-session.ts';
import type { Onlooker } from '../../src/executor/executor.ts';
import { PodSession } from '../../src/executor/step-protocol/pod-session.ts';
import { watchSteps } from '../../src/executor/step-protocol/watch-steps.ts';
import { LocalPod, type LocalPodOptions, sessionOptions, shells } from './local-pod.ts';
import { cutAfter } from './roads.ts';

const never = new AbortController().signal;

/** Somebody who looks on, and what has come. */
class Looking implements Onlooker {
  readonly ended: Promise<boolean>;
  readonly left = new AbortController();
  text = '';
  begun: boolean | undefined;
  readonly #waiters: (() => void)[] = [];

  constructor(pod: LocalPod, { idleMs = 0 }: { idleMs?: number } = {}) {
    const leaving = new AbortController();
    pod.boot.once('exit', () => leaving.abort(new Error('the pod has ended')));
    this.ended = watchSteps(
      pod.port,
      { idleMs, leaving: leaving.signal, unreachable() {} },
      this,
      this.left.signal,
    );
    this.ended.catch(() => {});
  }

  waiting(): void {}
  warning(): void {}
  trace(): void {}

  entered(hasBegun: boolean): void {
    this.begun = hasBegun;
    this.#wake();
  }

  async stepStarted(name: string): Promise<void> {
    this.#add(`<${name}>`);
  }

  async output(bytes: Uint8Array): Promise<void> {
    this.#add(Buffer.from(bytes).toString('latin1'));
  }

  async stepEnded(): Promise<void> {
    this.#add('</>');
  }

  /** Resolves when this has been seen; rejects when it ends without. */
  async sees(isThere: (looking: this) => boolean): Promise<void> {
    let isOver = false;
    const ended = (): void => {
      isOver = true;
      this.#wake();
    };
    this.ended.then(ended, ended);
    while (!isThere(this)) {
      if (isOver) throw new Error(`ended with ${JSON.stringify(this.text.slice(-200))}`);
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
  }

  #add(text: string): void {
    this.text += text;
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiters.splice(0)) wake();
  }
}

/** A pod with its runner, and who looks on. */
async function withRun<T>(
  pod: LocalPodOptions,
  work: (
    run: (index: number, command: string, name?: string) => Promise<number | null>,
    pod: LocalPod,
  ) => Promise<T>,
): Promise<T> {
  await using local = await LocalPod.start(pod);
  await using session = await PodSession.open(local.port, sessionOptions, AbortSignal.timeout(20_000));
  const run = async (index: number, command: string, name = `s${index}`): Promise<number | null> => {
    const step = {
      ...{ index, nonce: `n0nce${index}`, name, command, environment: {}, secrets: {}, following: 0 },
    };
    return (await session.runStep(step, () => {}, { stop: never, abandon: never })).exitCode;
  };
  return await work(run, local);
}

const onlookers = (pod: LocalPod): readonly string[] =>
  readdirSync(join(pod.root, '.knotless')).filter((name) => name.startsWith('w.'));

/** The pod's end, as the cluster brings it about. */
async function ended(pod: LocalPod): Promise<void> {
  const exit = once(pod.boot, 'exit');
  pod.boot.kill('SIGTERM');
  expect(await exit).toEqual([143, null]);
}

describe.concurrent.each(shells)('who looks on at a run under %s', (shell) => {
  test('sees every step from its first byte, in order, to the last byte before the pod ends', async () => {
    await withRun({ shell }, async (run, pod) => {
      await run(0, 'seq 1 3000; printf end', 'one');
      const early = new Looking(pod);
      const another = new Looking(pod);
      await early.sees(({ text }) => text.includes('end</>'));
      expect(await run(2, 'echo second; exit 3', 'two, after one left out: é \\n $HOME')).toBe(3);
      const late = run(3, 'sleep 0.2; printf last', '3');
      await late;
      await ended(pod);
      const whole = `<one>${Array.from({ length: 3000 }, (_, i) => `${i + 1}\n`).join('')}end</><two, after one left out: ${Buffer.from('é').toString()} \\n $HOME>second\n</><3>last</>`;
      for (const looking of [early, another]) {
        expect(await looking.ended).toBe(true);
        expect(looking.text === whole, looking.text.slice(-300)).toBe(true);
      }
      expect(onlookers(pod)).toEqual([]);
    });
  });

  test('waits for the first step, and is told that none has begun', async () => {
    await withRun({ shell }, async (run, pod) => {
      const looking = new Looking(pod);
      await looking.sees(({ begun }) => begun !== undefined);
      expect(looking).toMatchObject({ begun: false, text: '' });
      await run(0, 'echo a');
      await looking.sees(({ text }) => text === '<s0>a\n</>');
      await ended(pod);
      expect(await looking.ended).toBe(true);
    });
  });

  test('sees a step as it goes on, and nothing of what it leaves behind', async () => {
    await withRun({ shell }, async (run, pod) => {
      const go = join(pod.root, 'tmp/go');
      const wait = (file: string): string => `while [ ! -e ${file} ]; do sleep 0.05; done`;
      const looking = new Looking(pod);
      const step = run(
        0,
        `echo first; (${wait(`${go}.on`)}; echo stray; : >${go}.stray) & ${wait(go)}; echo second`,
      );
      await looking.sees(({ text }) => text.includes('first\n'));
      expect(looking.text).toBe('<s0>first\n');
      writeFileSync(go, '');
      await step;
      await looking.sees(({ text }) => text.endsWith('second\n</>'));
      await run(1, `: >${go}.on; ${wait(`${go}.stray`)}; echo third`);
      await looking.sees(({ text }) => text.endsWith('third\n</>'));
      expect(looking.text).toBe('<s0>first\nsecond\n</><s1>third\n</>');
    });
  });

  test('goes on at the byte where its connection was cut', async () => {
    let cuts = 0;
    const road = (session: ExecSession, program: string): ExecSession =>
      program === 'watch' && cuts < 12 ? cutAfter(session, 60 + cuts++ * 4097) : session;
    await withRun({ shell, road }, async (run, pod) => {
      const looking = new Looking(pod);
      await run(0, 'seq 1 20000', 'a');
      await run(1, 'seq 1 20000', 'b');
      await looking.sees(({ text }) => text.endsWith('20000\n</>') && text.includes('<b>'));
      const lines = Array.from({ length: 20_000 }, (_, i) => `${i + 1}\n`).join('');
      expect(looking.text === `<a>${lines}</><b>${lines}</>`).toBe(true);
      expect(cuts).toBeGreaterThan(8);
    });
  });

  test('leaves no process behind when it leaves', async () => {
    await withRun({ shell }, async (_run, pod) => {
      const looking = new Looking(pod);
      await looking.sees(({ begun }) => begun !== undefined);
      expect(onlookers(pod)).toHaveLength(1);
      looking.left.abort(new Error('left by the test'));
      await expect(looking.ended).rejects.toThrow('left by the test');
      while (onlookers(pod).length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
    });
  });

  test('is told when there is neither a step nor a runner, where it asks for that', async () => {
    await using pod = await LocalPod.start({ shell });
    {
      await using session = await PodSession.open(pod.port, sessionOptions, AbortSignal.timeout(20_000));
      const step = { index: 0, nonce: 'n', name: 's', command: 'echo kept', environment: {}, secrets: {} };
      await session.runStep({ ...step, following: 0 }, () => {}, { stop: never, abandon: never });
    }
    const looking = new Looking(pod, { idleMs: 1_000 });
    expect(await looking.ended).toBe(true);
    expect(looking.text).toBe('<s>kept\n</>');
  });

  test('does not hold up the end of a pod for longer than a second when it reads nothing', async () => {
    await withRun({ shell }, async (run, pod) => {
      const blocked = pod.exec(['sh', '/.knotless/bin/watch']);
      blocked.stdin.write('w0rd 0 0 0\n');
      await run(0, 'head -c 2000000 /dev/zero');
      while (!existsSync(join(pod.root, '.knotless/s/0.drained'))) await new Promise(setImmediate);
      const began = performance.now();
      await ended(pod);
      expect(performance.now() - began).toBeLessThan(2_000);
    });
  });
});

test('a pod without the program is named, and it is not tried for ever', async () => {
  await using pod = await LocalPod.start({ shell: 'dash' });
  await using _session = await PodSession.open(pod.port, sessionOptions, AbortSignal.timeout(20_000));
  const port = { ...pod.port, exec: async () => pod.exec(['sh', '/.knotless/bin/no-such']) };
  const hasty = { ...port.clock, now: () => performance.now() * 50 };
  const looking = watchSteps(
    { ...port, clock: hasty },
    { idleMs: 0, leaving: never, unreachable() {} },
    silent,
    never,
  );
  await expect(looking).rejects.toMatchObject({
    code: 'NotFound',
    message: expect.stringContaining('older version'),
  });
});

const silent: Onlooker = {
  waiting() {},
  warning() {},
  trace() {},
  entered() {},
  stepStarted: async () => {},
  output: async () => {},
  stepEnded: async () => {},
};
