import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { PodSession } from '../../src/executor/step-protocol/pod-session.ts';
import { LocalPod, type LocalPodOptions, sessionOptions, shells } from './local-pod.ts';

const never = new AbortController().signal;
const wholeSleep = `#!/bin/sh
case $1 in *[!0-9]*) echo "sleep: invalid number '$1'" >&2; exit 1 ;; esac
exec /bin/sleep "$1"
`;

const open = async (pod: LocalPod) => PodSession.open(pod.port, sessionOptions, AbortSignal.timeout(25_000));

describe.each<[string, LocalPodOptions]>([
  ['whose sleep knows whole seconds only', { shell: 'dash', instead: { sleep: wholeSleep } }],
  ['without setsid and mkfifo', { shell: 'dash', without: ['setsid', 'mkfifo'] }],
  [
    'without any of these, and no grep',
    { shell: 'bash', without: ['setsid', 'mkfifo', 'grep'], instead: { sleep: wholeSleep } },
  ],
])('an image %s', (_, image) => {
  test('runs steps, with their output and exit codes', async () => {
    await using pod = await LocalPod.start(image);
    await using session = await open(pod);
    for (const [index, code] of [0, 42].entries()) {
      const chunks: Uint8Array[] = [];
      const step = {
        index,
        nonce: `n0nce${index}`,
        name: 's',
        command: `seq 1 1000; exit ${code}`,
        environment: {},
        secrets: {},
        following: 1,
      };
      const verdict = await session.runStep(step, (bytes) => void chunks.push(bytes), {
        stop: never,
        abandon: never,
      });
      expect(verdict).toMatchObject({ kind: 'exited', exitCode: code });
      expect(Buffer.concat(chunks).toString().split('\n')).toHaveLength(1001);
    }
  });
});

describe('an image that lacks what a run needs is named before the first step', () => {
  test.each([['tar'], ['tail'], ['head'], ['rm'], ['dd']])('%s', async (tool) => {
    await using pod = await LocalPod.start({ shell: 'dash', without: [tool] });
    await expect(open(pod)).rejects.toMatchObject({
      code: 'UnsuitableImage',
      message: expect.stringContaining(tool),
    });
  });
});

describe.each(shells)('process 1 under %s', (shell) => {
  test('ends at once on TERM, and not with 0', async () => {
    await using pod = await LocalPod.start({ shell });
    await using _session = await open(pod);
    const ended = once(pod.boot, 'exit');
    pod.boot.kill('SIGTERM');
    expect(await ended).toEqual([143, null]);
  });

  test('ends by itself when the runner gives no sign of life', async () => {
    await using pod = await LocalPod.start({ shell, orphanSeconds: 5 });
    expect(await once(pod.boot, 'exit')).toEqual([75, null]);
  });
});
