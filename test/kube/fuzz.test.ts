import { expect, it } from 'vitest';
import { RunnerError } from '../../src/base/errors.ts';
import { ChannelReader } from '../../src/kube/exec-frames.ts';
import { execExitOf } from '../../src/kube/exec-status.ts';
import { watchEvents } from '../../src/kube/watch-lines.ts';
import { seededRandom } from '../run/support/seeded-random.ts';
import { mutatedBytes } from './fixtures/mutated-bytes.ts';

const seed = 20_261_130;
const rounds = 3_000;
const asked = { action: 'exec', server: 'https://example.test', method: 'GET' };

const mutated = (text: string, random: (limit: number) => number): Buffer =>
  mutatedBytes(Buffer.from(text), random);

/** What was thrown, which may be a RunnerError only. */
function expectRunnerError(thrown: unknown): void {
  expect(thrown).toBeInstanceOf(RunnerError);
}

it('mutated lines of a watch are events or a RunnerError, however they are cut', async () => {
  const random = seededRandom(seed);
  const line = `${JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'ü', uid: '1' } } })}\n`;
  for (let round = 0; round < rounds; round++) {
    const bytes = mutated(line.repeat(1 + random(3)), random);
    const pieces = async function* (): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.length; ) {
        const end = at + 1 + random(40);
        yield bytes.subarray(at, end);
        at = end;
      }
    };
    try {
      for await (const { type } of watchEvents(pieces(), 400)) expect(type).toMatch(/^[A-Z]+$/);
    } catch (thrown) {
      expectRunnerError(thrown);
    }
  }
});

it('mutated statuses of an exec never make up an exit code', () => {
  const random = seededRandom(seed + 1);
  const status = JSON.stringify({
    status: 'Failure',
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: '42' }] },
  });
  for (let round = 0; round < rounds; round++) {
    const text = mutated(status, random).toString();
    try {
      const { exitCode } = execExitOf(text, asked);
      expect(exitCode).toBeGreaterThan(0); // 0 is for a Success alone
      expect(text).toContain(String(exitCode));
    } catch (thrown) {
      expectRunnerError(thrown);
    }
  }
});

it('any bytes are of a known channel, or of none, however a message is cut', () => {
  const random = seededRandom(seed + 2);
  const reader = new ChannelReader();
  const names = [undefined, 'stdout', 'stderr', 'status'];
  for (let round = 0; round < rounds; round++) {
    const bytes = Buffer.from(Array.from({ length: 1 + random(20) }, (_, at) => random(at === 0 ? 6 : 256)));
    const cut = 1 + random(bytes.length);
    const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)].filter(({ length }) => length > 0);
    const told = pieces.flatMap((piece, index) => reader.read(piece, index === 0) ?? []);
    const name = names[bytes[0] ?? 0];
    expect(told.every(({ channel }) => channel === name)).toBe(true);
    const read = Buffer.concat(told.map((piece) => piece.bytes));
    expect(read).toEqual(name === undefined ? Buffer.alloc(0) : bytes.subarray(1));
  }
});
