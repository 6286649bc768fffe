import { expect, test } from 'vitest';
import { type TextOrBytes, Utf8Chunks } from '../../src/run/utf8-chunks.ts';
import { seededRandom } from './support/seeded-random.ts';

const bytesOf = (pieces: readonly TextOrBytes[]): Buffer =>
  Buffer.concat(
    pieces.map((piece) => ('text' in piece ? Buffer.from(piece.text) : Buffer.from(piece.base64, 'base64'))),
  );

function piecesOf(chunks: readonly Uint8Array[]): TextOrBytes[] {
  const utf8 = new Utf8Chunks();
  return [...chunks.flatMap((chunk) => [...utf8.write(chunk)]), ...utf8.end()];
}

test('text stays text, wherever its characters are cut', () => {
  const text = 'aé€😀\u0000\r\n漢字';
  const pieces = piecesOf([...Buffer.from(text)].map((byte) => Buffer.from([byte])));
  expect(pieces.map((piece) => ('text' in piece ? piece.text : 'bytes')).join('')).toBe(text);
});

test('bytes that are no UTF-8 come as base64, and the text after them as text', () => {
  expect(piecesOf([Buffer.from([0xff, 0xfe]), Buffer.from('ok €')])).toEqual([
    { base64: '//4=' },
    { text: 'ok €' },
  ]);
  expect(piecesOf([Buffer.from('a\xe2\x82', 'latin1')])).toEqual([{ text: 'a' }, { base64: '4oI=' }]);
  expect(piecesOf([Buffer.from('\xe2\x82', 'latin1'), Buffer.from('x')])).toEqual([{ base64: '4oJ4' }]);
});

test('all pieces together are the stream, for any bytes and cuts', () => {
  const random = seededRandom(7);
  for (let round = 0; round < 2000; round += 1) {
    const source = random(2) === 0 ? Buffer.from('é€😀a'.repeat(4)) : Buffer.alloc(40);
    const stream = Buffer.from(source.map((byte) => (random(8) === 0 ? random(256) : byte)));
    const chunks: Buffer[] = [];
    for (let at = 0; at < stream.length; ) {
      const length = 1 + random(7);
      chunks.push(stream.subarray(at, at + length));
      at += length;
    }
    expect(bytesOf(piecesOf(chunks)).equals(stream)).toBe(true);
  }
});

test('no piece grows with the chunk', () => {
  const pieces = piecesOf([Buffer.from('€'.repeat(100_000))]);
  expect(pieces.every((piece) => 'text' in piece && piece.text.length <= 64 * 1024)).toBe(true);
  expect(bytesOf(pieces)).toHaveLength(300_000);
});
