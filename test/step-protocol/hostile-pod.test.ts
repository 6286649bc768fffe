import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { RunnerError } from '../../src/base/errors.ts';
import type { ExecSession } from '../../src/base/exec-session.ts';
import { ControlChannel } from '../../src/executor/step-protocol/control-channel.ts';
import { readGreeting } from '../../src/executor/step-protocol/greeting.ts';
import { linesOf } from '../../src/executor/step-protocol/lines.ts';
import { Reach } from '../../src/executor/step-protocol/reach.ts';
import { MarkSplitter } from '../../src/executor/step-protocol/step-mark.ts';
import { seededRandom } from '../run/support/seeded-random.ts';

const seed = 4_711;
const rounds = 3_000;

/** The text with one to four of its characters replaced by any byte. */
function mutated(text: string, random: (limit: number) => number): string {
  const bytes = Buffer.from(text, 'latin1');
  for (let change = 1 + random(4); change > 0; change--) bytes[random(bytes.length)] = random(256);
  return bytes.toString('latin1');
}

test('a mutated greeting is one, or a RunnerError', () => {
  const random = seededRandom(seed);
  for (let round = 0; round < rounds; round++) {
    try {
      readGreeting(mutated('knotless 1 missing= unwritable= gzip=yes', random));
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(RunnerError);
    }
  }
});

test('a mutated mark is output, a mark with a code of its digits, or a RunnerError, however it is cut', () => {
  const random = seededRandom(seed + 1);
  for (let round = 0; round < rounds; round++) {
    const stream = Buffer.from(
      mutated('some output\n\x1ethe-nonce 42 1 2 us 3 4 0\nbehind it', random),
      'latin1',
    );
    const splitter = new MarkSplitter('the-nonce');
    const written: Buffer[] = [];
    try {
      for (let at = 0; at < stream.length; ) {
        const end = at + 1 + random(12);
        const split = splitter.push(stream.subarray(at, end));
        written.push(...split.output.map((piece) => Buffer.from(piece)));
        at = end;
        if (!split.end) continue;
        expect(split.end.mark?.exitCode ?? 0).toBeLessThan(1000);
        break;
      }
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(RunnerError);
    }
    const output = Buffer.concat(written);
    expect(output.equals(stream.subarray(0, output.length))).toBe(true);
  }
});

test('a line without an end is refused before it fills the memory', async () => {
  let sent = 0;
  const endless = Readable.from(
    (function* () {
      for (;;) {
        sent += 1000;
        yield Buffer.alloc(1000, 0x78);
      }
    })(),
  );
  const lines = linesOf(endless);
  await expect(lines.next()).rejects.toMatchObject({ code: 'ProtocolViolation' });
  expect(sent).toBeLessThan(100_000);
});

/** An exec of a control program that greets, and gives to each line the answer that `answer` makes of it. */
function controlled(answer: (line: string, out: PassThrough) => void): ExecSession {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdout.write('knotless 1 missing= unwritable= gzip=yes\n');
  stdin.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().trimEnd().split('\n')) answer(line, stdout);
  });
  const exit = new Promise<{ exitCode: number }>((resolve) => {
    stdout.on('close', () => resolve({ exitCode: 3 }));
  });
  const close = (): void => {
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
  };
  return {
    stdin,
    stdout,
    stderr,
    canEndStdin: true,
    exit,
    close,
    [Symbol.asyncDispose]: async () => close(),
  };
}

function portTo(open: () => ExecSession) {
  const clock = systemClock();
  const port = {
    exec: async () => open(),
    lost: new AbortController().signal,
    clock,
    nonce: () => 'n0nce',
    trace: () => {},
    warn: () => {},
    patienceMs: 20_000,
  };
  return { ...port, reach: new Reach(port, () => {}) };
}

test('a control program that answers anything, or nothing, after its greeting can hold up neither a stop nor an end', async () => {
  const random = seededRandom(seed + 2);
  const one = async (): Promise<void> => {
    const kind = random(5);
    const open = (): ExecSession =>
      controlled((line, out) => {
        if (kind === 0) out.write(`${mutated(line.replace('stop', 'stopped'), random)}\n`);
        if (kind === 1) out.write(Buffer.from(Array.from({ length: random(300) }, () => random(256))));
        if (kind === 2) out.write('\n'.repeat(random(50)));
        if (kind === 3) out.end();
      });
    await using control = await ControlChannel.open(portTo(open), AbortSignal.timeout(5_000));
    const stopped = await control
      .stop('0.run', 'TERM', AbortSignal.timeout(300))
      .catch((error: unknown) => error);
    if (typeof stopped !== 'boolean') expect(stopped).toBeInstanceOf(Error);
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: 100 }, one));
  expect(performance.now() - began).toBeLessThan(5_000);
});

test('a control program that greets and ends, again and again, is not opened as fast as it can', async () => {
  let opened = 0;
  const open = (): ExecSession => {
    opened++;
    return controlled((_, out) => out.end());
  };
  await using _control = await ControlChannel.open(portTo(open), AbortSignal.timeout(5_000));
  await systemClock().sleep(1_500);
  expect(opened).toBeGreaterThan(2);
  expect(opened).toBeLessThan(10);
});
