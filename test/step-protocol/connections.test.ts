import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import type { ExecSession } from '../../src/base/exec-session.ts';
import { PodSession } from '../../src/executor/step-protocol/pod-session.ts';
import { HastyClock } from '../faults/hasty-clock.ts';
import { LocalPod, sessionOptions, shells } from './local-pod.ts';
import { abandonedAfter, cutAfter, cutSending } from './roads.ts';

const never = new AbortController().signal;

/** Breaks the first so many execs of steps. */
function breaking(times: number, how: (session: ExecSession, nth: number) => ExecSession) {
  let nth = 0;
  return (session: ExecSession, program: string) =>
    program === 'step' && nth < times ? how(session, nth++) : session;
}

/** How many processes of the step program are at work. */
const followersIn = (pod: LocalPod): number =>
  pod.processes().filter((pid) => commandOf(pid).endsWith('/bin/step\0')).length;

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // ended meanwhile
  }
}

async function runOnce(
  pod: LocalPod,
  command: string,
  clock: Clock = systemClock(),
): Promise<{ output: string; exitCode: number | null }> {
  await using session = await PodSession.open(
    { ...pod.port, clock },
    sessionOptions,
    AbortSignal.timeout(20_000),
  );
  const chunks: Uint8Array[] = [];
  const step = {
    index: 0,
    nonce: 'a1b2c3d4',
    name: 's',
    command,
    environment: {},
    secrets: {},
    following: 0,
  };
  const verdict = await session.runStep(step, (bytes) => void chunks.push(bytes), {
    stop: never,
    abandon: never,
  });
  return { output: Buffer.concat(chunks).toString(), exitCode: verdict.exitCode };
}

const slowTick = '#!/bin/sh\n[ "$1" != 0.1 ] || set -- 0.6\nexec /bin/sleep "$1"\n';

describe.each(shells)('a step under %s whose connection breaks', (shell) => {
  test('in mid-output, again and again, is followed at the byte where it stopped', async () => {
    const road = breaking(12, (session, nth) => cutAfter(session, 'accepted\n'.length + nth * 4097));
    await using pod = await LocalPod.start({ shell, road });
    const { output, exitCode } = await runOnce(pod, 'seq 1 100000; exit 7');
    expect(exitCode).toBe(7);
    // not toBe: the difference of two such texts takes minutes to draw
    expect(output === Array.from({ length: 100_000 }, (_, i) => `${i + 1}\n`).join('')).toBe(true);
  });

  test('while its script is being sent, runs once', async () => {
    const road = breaking(6, (session, nth) => cutSending(session, [1, 10, 40, 60, 120, 160][nth] ?? 1));
    await using pod = await LocalPod.start({ shell, road });
    const ran = join(pod.root, 'tmp/ran');
    const { output, exitCode } = await runOnce(pod, `echo x >>${ran}; echo done`);
    expect({ output, exitCode }).toEqual({ output: 'done\n', exitCode: 0 });
    expect(readFileSync(ran, 'utf8')).toBe('x\n');
  });

  test('before the answer to a start that got through, runs once', async () => {
    const road = breaking(3, (session) => cutAfter(session, 0));
    await using pod = await LocalPod.start({ shell, road });
    const ran = join(pod.root, 'tmp/ran');
    const { output, exitCode } = await runOnce(pod, `echo x >>${ran}; echo done; exit 3`);
    expect({ output, exitCode }).toEqual({ output: 'done\n', exitCode: 3 });
    expect(readFileSync(ran, 'utf8')).toBe('x\n');
  });

  test('without the pod hearing of it, leaves no follower behind for as long as the step lasts', async () => {
    let opened = 0;
    const road = breaking(4, (session, nth) => {
      opened = nth + 1;
      return nth < 3 ? abandonedAfter(session, 'accepted\n'.length) : session;
    });
    await using pod = await LocalPod.start({ shell, road });
    const ran = runOnce(pod, 'sleep 13; echo done');
    await expect.poll(() => opened, { timeout: 5_000 }).toBe(4);
    // one, and its ticker
    await expect.poll(() => followersIn(pod), { timeout: 9_000, interval: 500 }).toBe(2);
    expect((await ran).output).toBe('done\n');
  }, 40_000);

  test('between the last byte and the mark, gets its verdict over the next one', async () => {
    const road = breaking(1, (session) => cutAfter(session, 'accepted\nall of it'.length));
    await using pod = await LocalPod.start({ shell, road });
    expect(await runOnce(pod, 'printf "all of it"; exit 9')).toEqual({ output: 'all of it', exitCode: 9 });
  });
});

test('a supervisor that was killed is an error, never a verdict, and the step is not started again', async () => {
  await using pod = await LocalPod.start({ shell: 'dash' });
  const ran = join(pod.root, 'tmp/ran');
  const lock = join(pod.root, '.knotless/s/0.lock');
  const step = runOnce(pod, `echo x >>${ran}; kill -9 "$(cat ${lock})"; sleep 60`);
  await expect(step).rejects.toMatchObject({ code: 'ProtocolViolation' });
  expect(readFileSync(ran, 'utf8')).toBe('x\n');
});

describe.concurrent('where the processor is scarce and a tick takes long', () => {
  const slowTicks = { shell: 'dash', instead: { sleep: slowTick } } as const;

  test('signs of life still come in time, and the connection is kept', async () => {
    const clock = new HastyClock();
    clock.hurry(2); // the runner's own; the pod's signs of life come every 10 to 12 s of it
    let opened = 0;
    const road = (session: ExecSession, program: string) => {
      if (program === 'step') opened++;
      return session;
    };
    await using pod = await LocalPod.start({ ...slowTicks, road });
    const command = '/bin/sleep 12; echo done';
    expect(await runOnce(pod, command, clock)).toEqual({ output: 'done\n', exitCode: 0 });
    expect(opened).toBe(1);
  });

  test('a supervisor that was killed is still found out', async () => {
    await using pod = await LocalPod.start(slowTicks);
    const step = runOnce(pod, `kill -9 "$(cat ${pod.root}/.knotless/s/0.lock)"; /bin/sleep 60`);
    await expect(step).rejects.toMatchObject({ code: 'ProtocolViolation' });
  });
});

test('a log that cannot be written is an error, never a verdict', async () => {
  await using pod = await LocalPod.start({ shell: 'dash', longestFile: 64 });
  await expect(runOnce(pod, 'seq 1 100000')).rejects.toMatchObject({ code: 'LogIncomplete' });
});

describe('a step that takes away what the run keeps in the pod is an error within seconds, never a wait', () => {
  test.each<[string, (root: string) => string]>([
    ['the shell that would have told its exit', () => 'kill -9 $PPID; sleep 1'],
    ['the log it has written', (root) => `seq 1 1000; sleep 0.5; : >${root}/.knotless-log/0; echo b`],
  ])('%s', async (_, command) => {
    await using pod = await LocalPod.start({ shell: 'dash' });
    await expect(runOnce(pod, command(pod.root))).rejects.toMatchObject({ code: 'ProtocolViolation' });
  });
});

test('a step that removes all that its run keeps in the pod gets its true verdict all the same', async () => {
  await using pod = await LocalPod.start({ shell: 'dash' });
  const command = `rm -rf ${pod.root}/.knotless ${pod.root}/.knotless-log; sleep 1; echo b; exit 3`;
  expect(await runOnce(pod, command)).toEqual({ output: 'b\n', exitCode: 3 });
});
