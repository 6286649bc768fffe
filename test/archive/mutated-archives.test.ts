import { lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RunnerError } from '../../src/base/errors.ts';
import type { HandMadeEntry } from './support/hand-made-tar.ts';
import { entryBlocks, handMadeTar, paxContent } from './support/hand-made-tar.ts';
import { chunksOf } from './support/streams.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { treeFacts } from './support/tree-facts.ts';
import { unpack } from './support/unpack.ts';

/** Numbers below `below` that are the same in every run: xorshift from a seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const names = [
  'a',
  'b',
  'a/b',
  'a/b/c',
  'l',
  'l/a',
  '..',
  '../../outside/secret',
  'a/../../outside',
  '.',
  '',
  'out',
  'out/new',
];
const targets = [...names, '/etc/passwd', '../outside', 'l/..', 'a/b/../../..', 'out/secret'];
const types = ['0', '0', '0', '1', '2', '2', '5', '5', '3', '6', 'L', 'K', 'x', 'g', 'S', '7'];

function randomEntry(random: (below: number) => number): HandMadeEntry {
  const pick = (from: readonly string[]): string => from[random(from.length)] ?? '';
  const type = pick(types);
  const name = `outputs/${pick(names)}`;
  if (type === 'x' || type === 'g')
    return { name: '@', type, content: paxContent({ path: name, linkpath: pick(targets) }) };
  if (type === 'L' || type === 'K') return { name: '@', type, content: `outputs/${pick(names)}\0` };
  const target = type === '1' ? `outputs/${pick(targets)}` : pick(targets);
  return { name, type, target, content: '057'.includes(type) && type !== '5' ? 'x'.repeat(random(700)) : '' };
}

/** Unpacks; whatever comes of it, it is an answer or a RunnerError, and nothing outside has changed. */
async function attempt(bytes: Uint8Array, sub: string, chunk: number): Promise<void> {
  const outside = join(sub, 'outside');
  const here = join(sub, 'one/outputs');
  mkdirSync(here, { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret'), 'secret');
  symlinkSync('../../outside', join(here, 'out'));
  const before = treeFacts(outside);
  try {
    await unpack(chunksOf(bytes, chunk), here, { limits: { maxBytes: 1e6, maxFiles: 100 } });
  } catch (error) {
    if (!(error instanceof RunnerError)) throw error;
    expect(['OutputsRefused', 'OutputsIncomplete', 'LocalWriteFailed']).toContain(error.code);
  }
  expect(treeFacts(outside)).toEqual(before);
  expect(readdirSync(sub).sort()).toEqual(['one', 'outside']);
  expect(readdirSync(join(sub, 'one'))).toEqual(['outputs']);
  checkLinks(here, sub);
  rmSync(sub, { recursive: true });
}

/** No link that was made leads out; the one that was there before may stand. */
function checkLinks(here: string, sub: string): void {
  for (const [path, fact] of Object.entries(treeFacts(here))) {
    expect(fact).not.toBe('special');
    expect(lstatSync(join(here, path)).mode & 0o7000).toBe(0);
    if (!fact.startsWith('symlink ') || fact === 'symlink ../../outside') continue;
    expect(fact).not.toMatch(/^symlink \//);
    expect(join(here, path, '..', fact.slice('symlink '.length)).startsWith(join(sub, 'one/outputs'))).toBe(
      true,
    );
  }
}

test('archives of random entries write nothing outside', async () => {
  using folder = temporaryFolder();
  const random = randomFrom(4711);
  for (let round = 0; round < 250; round += 1) {
    const entries = Array.from({ length: random(8) + 1 }, () => randomEntry(random));
    await attempt(handMadeTar(...entries), folder.at(String(round)), 4096);
  }
});

test('archives with random bytes changed, cut out and doubled are read or refused', async () => {
  using folder = temporaryFolder();
  const random = randomFrom(1234);
  const whole = handMadeTar(
    { name: 'outputs/a/', type: '5', mode: 0o755 },
    { name: '@', type: 'x', content: paxContent({ path: 'outputs/a/pax', mtime: '1.5' }) },
    { name: 'y', content: 'x'.repeat(600) },
    { name: '@', type: 'L', content: `outputs/${'n'.repeat(120)}\0` },
    { name: 'y', content: 'y' },
    { name: 'outputs/l', type: '2', target: 'a/pax' },
    { name: 'outputs/h', type: '1', target: 'outputs/a/pax' },
  );
  for (let round = 0; round < 250; round += 1) {
    let bytes = Buffer.from(whole);
    for (let edits = random(3) + 1; edits > 0; edits -= 1) {
      const at = random(bytes.length);
      const block = at - (at % 512);
      const kind = random(4);
      if (kind === 0) bytes[at] = random(256);
      else if (kind === 1) bytes = bytes.subarray(0, at);
      else if (kind === 2) bytes = Buffer.concat([bytes.subarray(0, block), bytes.subarray(block + 512)]);
      else
        bytes = Buffer.concat([
          bytes.subarray(0, block),
          entryBlocks(randomEntry(random)),
          bytes.subarray(block),
        ]);
      if (bytes.length === 0) break;
    }
    await attempt(bytes, folder.at(String(round)), random(2000) + 1);
  }
});

test('headers whose checksum is right but nothing else are read or refused', async () => {
  using folder = temporaryFolder();
  const random = randomFrom(99);
  for (let round = 0; round < 250; round += 1) {
    const header = entryBlocks({ name: 'outputs/a', type: '0' });
    for (let edits = random(20) + 1; edits > 0; edits -= 1) header[random(512)] = random(256);
    header.write('        ', 148);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    await attempt(Buffer.concat([header, handMadeTar()]), folder.at(String(round)), 4096);
  }
});
