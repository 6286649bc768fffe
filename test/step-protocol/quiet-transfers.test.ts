import { expect, test } from 'vitest';
import { packTrees } from '../../src/archive/pack-trees.ts';
import { PodSession } from '../../src/executor/step-protocol/pod-session.ts';
import { HastyClock } from '../faults/hasty-clock.ts';
import { LocalPod, sessionOptions } from './local-pod.ts';

const signal = new AbortController().signal;
const silent = { progress: () => {} };

/** The runner's clock is hurried, the pod's is not: its signs of life come every 12 s, and 20 s without are too long. */
const speed = 2.4;
const quietSeconds = 11;

async function withSleepyTar(shell: 'dash' | 'bash', work: (session: PodSession) => Promise<void>) {
  const opened: string[] = [];
  await using pod = await LocalPod.start({
    shell,
    instead: { tar: `#!/bin/sh\nsleep ${quietSeconds}\nexec /bin/tar "$@"\n` },
    road: (session, program) => {
      opened.push(program);
      return session;
    },
  });
  const clock = new HastyClock();
  clock.hurry(speed);
  await using session = await PodSession.open(
    { ...pod.port, clock },
    sessionOptions,
    AbortSignal.timeout(20_000),
  );
  await work(session);
  return opened.filter((program) => program === 'receive' || program === 'send');
}

for (const shell of ['dash', 'bash'] as const) {
  test.concurrent(`an upload may be quiet for longer than a dead road is waited for (${shell})`, async () => {
    const opened = await withSleepyTar(shell, (session) =>
      session.send(
        packTrees([], () => {}),
        silent,
        signal,
      ),
    );
    expect(opened).toEqual(['receive']);
  });

  test.concurrent(`a download may be quiet for longer than a dead road is waited for (${shell})`, async () => {
    const opened = await withSleepyTar(shell, async (session) => {
      const archive = await session.fetch(['/outputs'], silent, signal);
      let bytes = 0;
      for await (const chunk of archive.bytes) bytes += chunk.length;
      expect(bytes).toBeGreaterThan(512);
      expect(await archive.outcome).toEqual({ missing: [], warnings: [], failure: null });
    });
    expect(opened).toEqual(['send']);
  });
}
