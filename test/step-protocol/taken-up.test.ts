import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PodSession } from '../../src/executor/step-protocol/pod-session.ts';
import { LocalPod, sessionOptions, shells } from './local-pod.ts';

const never = new AbortController().signal;
/** Unlike those of other tests: a local pod sees the processes of all, and a stop knows steps by their number. */
const index = 4711;

const open = (pod: LocalPod, isUsed: boolean): Promise<PodSession> =>
  PodSession.open(pod.port, { ...sessionOptions, runId: randomUUID(), isUsed }, AbortSignal.timeout(20_000));

const stepOf = (pod: LocalPod) => ({
  index,
  nonce: 'a0b1c2d3',
  name: 's',
  command: `echo x >>${pod.root}/tmp/ran; for i in 1 2 3 4 5 6; do echo "line $i"; sleep 0.1; done; printf end; exit 7`,
  environment: {},
  secrets: { TOKEN: 'tok-91b2' },
  following: 0,
});
const whole = 'line 1\nline 2\nline 3\nline 4\nline 5\nline 6\nend';

/** Asks for the step as another process would; the whole output and the exit code. */
async function takenUp(pod: LocalPod) {
  await using session = await open(pod, true);
  const chunks: Uint8Array[] = [];
  const verdict = await session.runStep(stepOf(pod), (bytes) => void chunks.push(bytes), {
    stop: never,
    abandon: never,
  });
  return { output: Buffer.concat(chunks).toString(), verdict };
}

test.each(shells)(
  'a step is followed from its first byte by whoever asks for it again, and runs once (%s)',
  async (shell) => {
    await using pod = await LocalPod.start({ shell });
    const leaving = new AbortController();
    {
      await using session = await open(pod, false);
      const left = session.runStep(
        stepOf(pod),
        (bytes) => {
          if (Buffer.from(bytes).includes('line 2')) leaving.abort(new Error('killed'));
        },
        { stop: never, abandon: leaving.signal },
      );
      await expect(left).rejects.toThrow('killed');
    }
    const running = await takenUp(pod);
    const ended = await takenUp(pod);
    for (const { output, verdict } of [running, ended]) {
      expect(output).toBe(whole);
      expect(verdict).toMatchObject({ kind: 'exited', exitCode: 7 });
    }
    expect(readFileSync(join(pod.root, 'tmp/ran'), 'utf8')).toBe('x\n');
  },
);
