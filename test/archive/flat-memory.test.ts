import { lstatSync, truncateSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listTree } from '../../src/archive/list-tree.ts';
import { packTrees } from '../../src/archive/pack-trees.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { unpack } from './support/unpack.ts';

const megabyte = 1024 * 1024;

/** The most memory that was in use meanwhile, beyond what was before, in bytes. */
async function growthDuring(work: (look: () => void) => Promise<void>): Promise<number> {
  const before = process.memoryUsage().rss;
  let most = before;
  await work(() => {
    most = Math.max(most, process.memoryUsage().rss);
  });
  return most - before;
}

test('a large file is packed and unpacked in little memory', async () => {
  using folder = temporaryFolder();
  const size = 200 * megabyte;
  writeFileSync(folder.at('large'), '');
  truncateSync(folder.at('large'), size);
  const listing = await listTree(folder.path, { files: 'all', exclude: [] });
  const archive = packTrees([{ listing, target: 'work', executable: false }], () => {});
  const growth = await growthDuring(async (look) => {
    async function* watched(): AsyncGenerator<Uint8Array> {
      for await (const chunk of archive.open({ name: 'end', content: '' })) {
        look();
        yield chunk;
      }
    }
    await unpack(watched(), folder.at('out'), { lastEntry: 'end' });
  });
  expect(lstatSync(folder.at('out/work/large')).size).toBe(size);
  expect(growth).toBeLessThan(100 * megabyte);
});

test('packing waits for its reader', async () => {
  using folder = temporaryFolder();
  writeFileSync(folder.at('large'), '');
  truncateSync(folder.at('large'), 200 * megabyte);
  const listing = await listTree(folder.path, { files: 'all', exclude: [] });
  const archive = packTrees([{ listing, target: 'work', executable: false }], () => {});
  const growth = await growthDuring(async (look) => {
    const bytes = archive.open({ name: 'end', content: '' })[Symbol.asyncIterator]();
    await bytes.next();
    for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    look();
    await bytes.return?.();
  });
  expect(growth).toBeLessThan(20 * megabyte);
});
