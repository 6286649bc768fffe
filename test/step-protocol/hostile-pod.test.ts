import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { RunnerError } from '../../src/base/errors.ts';
import { readGreeting } from '../../src/executor/step-protocol/greeting.ts';
import { linesOf } from '../../src/executor/step-protocol/lines.ts';
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
