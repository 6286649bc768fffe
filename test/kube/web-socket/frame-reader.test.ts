import { expect, it } from 'vitest';
import { FrameReader } from '../../../src/kube/web-socket/frame-reader.ts';
import { seededRandom } from '../../run/support/seeded-random.ts';
import { serverFrame } from '../fixtures/server-frame.ts';

const random = seededRandom(20_261_202);
const rounds = 500;

/** What is told of the bytes, each piece of a message joined to those before. */
function toldOf(chunks: readonly Buffer[]): readonly string[] {
  const told: string[] = [];
  const reader = new FrameReader({
    message: (bytes, isStart) => {
      if (isStart) told.push('');
      told.push(told.pop() + bytes.toString('latin1'));
    },
    ping: (payload) => told.unshift(`ping ${payload}`),
    close: (code) => told.push(`close ${code}`),
  });
  for (const chunk of chunks) reader.push(chunk);
  return told;
}

function cut(bytes: Buffer): readonly Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = 1 + random(random(4) === 0 ? 4 : 70_000);
    chunks.push(bytes.subarray(at, at + length));
    at += length;
  }
  return chunks;
}

it('messages of all lengths come whole, however they are framed and however their bytes are cut', () => {
  for (let round = 0; round < rounds; round++) {
    const frames: Buffer[] = [];
    const messages: string[] = [];
    const pings: string[] = [];
    for (let count = random(5); count > 0; count--) {
      const length = [random(4), 120 + random(10), 65_530 + random(10)][random(3)] ?? 0;
      const message = String.fromCharCode(97 + random(26)).repeat(length);
      const parts = 1 + random(3);
      for (let part = 0; part < parts; part++) {
        const bytes = Buffer.from(message.slice((length * part) / parts, (length * (part + 1)) / parts));
        frames.push(serverFrame(part === 0 ? 2 : 0, bytes, part === parts - 1));
        if (random(5) > 0) continue;
        frames.push(serverFrame(random(2) === 0 ? 9 : 10, Buffer.from(`${pings.length}`)));
        if (frames.at(-1)?.[0] === 0x89) pings.unshift(`ping ${pings.length}`);
        else frames.pop();
      }
      if (message !== '') messages.push(message);
    }
    frames.push(serverFrame(8, Buffer.from([0x03, 0xe8])), serverFrame(2, Buffer.from('after the end')));
    expect(toldOf(cut(Buffer.concat(frames)))).toEqual([...pings, ...messages, 'close 1000']);
  }
});

it('a frame of a terabyte is handed on as it comes: nothing of it is held or copied', () => {
  const pieces: Buffer[] = [];
  const reader = new FrameReader({
    message: (piece) => pieces.push(piece),
    ping: () => {},
    close: () => {},
  });
  reader.push(bytes(0x82, 127, 0, 0, 1, 0, 0, 0, 0, 0));
  const chunks = [Buffer.alloc(16_384, 'a'), Buffer.alloc(16_384, 'b')];
  for (const chunk of chunks) reader.push(chunk);
  expect(pieces.map(({ length }) => length)).toEqual([16_384, 16_384]);
  expect(pieces.every((piece, index) => piece.buffer === chunks[index]?.buffer)).toBe(true);
});

it('a close without a code is told as 1005', () => {
  expect(toldOf([serverFrame(8, Buffer.alloc(0))])).toEqual(['close 1005']);
});

const bytes = (...values: number[]): Buffer => Buffer.from(values);

it.each([
  ['a bit that means nothing here', bytes(0xc2, 0)],
  ['a mask', bytes(0x82, 0x80)],
  ['an unknown opcode', bytes(0x83, 0)],
  ['an unknown control opcode', bytes(0x8b, 0)],
  ['a long ping', bytes(0x89, 126)],
  ['a ping in pieces', bytes(0x09, 0)],
  ['a continuation of nothing', bytes(0x80, 0)],
  ['a message within a message', Buffer.concat([serverFrame(2, bytes(1), false), serverFrame(2, bytes(1))])],
  ['a length beyond all', bytes(0x82, 127, 0, 0x20, 0, 0, 0, 0, 0, 0)],
  ['half a close code', bytes(0x88, 1, 3)],
])('%s is refused', (_what, broken) => {
  expect(() => toldOf([broken])).toThrow('WebSocket');
});
