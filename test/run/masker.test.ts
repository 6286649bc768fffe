import { expect, test } from 'vitest';
import { Automaton } from '../../src/run/masking/automaton.ts';
import { Masker } from '../../src/run/masking/masker.ts';
import { seededRandom } from './support/seeded-random.ts';

/** The obvious way: mark every byte of every occurrence, then write one mask for each marked stretch. */
function maskNaively(patterns: readonly Buffer[], input: Buffer): Buffer {
  const marked = new Uint8Array(input.length);
  for (const pattern of patterns) {
    for (let at = input.indexOf(pattern); at >= 0; at = input.indexOf(pattern, at + 1)) {
      marked.fill(1, at, at + pattern.length);
    }
  }
  const output: number[] = [];
  for (const [index, byte] of input.entries()) {
    if (marked[index] === 0) {
      output.push(byte);
    } else if (index === 0 || marked[index - 1] === 0) {
      output.push(...Buffer.from('***'));
    }
  }
  return Buffer.from(output);
}

function maskInChunks(patterns: readonly Buffer[], chunks: readonly Buffer[], cut = false): Buffer {
  const masker = new Masker(new Automaton(patterns));
  return Buffer.concat([...chunks.map((chunk) => Buffer.from(masker.write(chunk))), masker.end(cut)]);
}

test('does what the obvious way does, however the stream is cut', () => {
  const random = seededRandom(20260101);
  const word = (longest: number, letters: number): Buffer =>
    Buffer.from(Array.from({ length: 2 + random(longest - 1) }, () => 97 + random(letters)));
  for (let round = 0; round < 3000; round += 1) {
    const letters = 2 + random(3);
    const patterns = Array.from({ length: 1 + random(6) }, () => word(7, letters));
    const input = Buffer.concat(
      Array.from({ length: random(12) }, () =>
        random(2) === 0 ? word(9, letters) : (patterns[random(patterns.length)] ?? Buffer.alloc(0)),
      ),
    );
    const chunks: Buffer[] = [];
    for (let at = 0; at < input.length; ) {
      const length = 1 + random(6);
      chunks.push(input.subarray(at, at + length));
      at += length;
    }
    expect(maskInChunks(patterns, chunks).toString('latin1')).toBe(
      maskNaively(patterns, input).toString('latin1'),
    );
  }
});

test('a pattern inside a longer one that does not come after all is still masked', () => {
  const patterns = ['xabcdyz', 'abcd'].map((text) => Buffer.from(text));
  expect(maskInChunks(patterns, [Buffer.from('xab'), Buffer.from('cdyQ')]).toString()).toBe('x***yQ');
  expect(maskInChunks(patterns, [Buffer.from('xab'), Buffer.from('cdyzQ')]).toString()).toBe('***Q');
});

test('gives out at once what cannot be part of a match', () => {
  const masker = new Masker(new Automaton([Buffer.from('secret')]));
  expect(Buffer.from(masker.write(Buffer.from('line\nse'))).toString()).toBe('line\n');
  expect(Buffer.from(masker.write(Buffer.from('ed\n'))).toString()).toBe('seed\n');
});

test('a stream that was cut in the middle of a secret does not show its first half', () => {
  const chunks = [Buffer.from('token: topse')];
  const patterns = [Buffer.from('topsecret')];
  expect(maskInChunks(patterns, chunks, true).toString()).toBe('token: ***');
  expect(maskInChunks(patterns, chunks, false).toString()).toBe('token: topse');
  expect(maskInChunks(patterns, [Buffer.from('that is to')], true).toString()).toBe('that is to');
});

test('what it holds back does not change when the chunk is used again', () => {
  const masker = new Masker(new Automaton([Buffer.from('secret')]));
  const chunk = Buffer.from('a sec');
  masker.write(chunk);
  chunk.fill(0);
  expect(Buffer.from(masker.write(Buffer.from('tor'))).toString()).toBe('sector');
});

test('without patterns nothing is masked or held back', () => {
  const masker = new Masker(new Automaton([]));
  expect(Buffer.from(masker.write(Buffer.from([0, 255, 0]))).equals(Buffer.from([0, 255, 0]))).toBe(true);
  expect(masker.end(true)).toHaveLength(0);
});
