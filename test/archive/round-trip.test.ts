import { chmodSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { listTree } from '../../src/archive/list-tree.ts';
import { packTrees } from '../../src/archive/pack-trees.ts';
import { TarReader } from '../../src/archive/tar-reader.ts';
import { makeOddTree } from './support/odd-tree.ts';
import { chunksOf } from './support/streams.ts';
import { beginning, create, extract, listing, tarTools } from './support/tar-tools.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { treeFacts } from './support/tree-facts.ts';
import { unpack } from './support/unpack.ts';

const last = { name: 'end-of-checkout', content: 'all' };

async function archiveOf(root: string) {
  const tree = await listTree(root, { files: 'all', exclude: [] });
  return packTrees([{ listing: tree, target: 'work', executable: false }], (message) => {
    throw new Error(message);
  });
}

describe.each(tarTools)('$name', (tool) => {
  test('unpacks a checkout to the last bit and second', async () => {
    using folder = temporaryFolder();
    mkdirSync(folder.at('pod/work'), { recursive: true });
    makeOddTree(folder.at('checkout'));
    await extract(tool, (await archiveOf(folder.at('checkout'))).open(last), folder.at('pod'));
    const kept = { bare: tool.lost };
    expect(treeFacts(folder.at('pod/work'), kept)).toEqual(treeFacts(folder.at('checkout'), kept));
  });

  test('unpacks the checkout a second time over the first', async () => {
    using folder = temporaryFolder();
    mkdirSync(folder.at('pod/work'), { recursive: true });
    makeOddTree(folder.at('checkout'));
    const archive = await archiveOf(folder.at('checkout'));
    await extract(tool, archive.open(last), folder.at('pod'));
    await extract(tool, archive.open(last), folder.at('pod'));
    const kept = { bare: tool.lost };
    expect(treeFacts(folder.at('pod/work'), kept)).toEqual(treeFacts(folder.at('checkout'), kept));
  });

  test('unpacks a checkout as an ordinary user', async () => {
    using folder = temporaryFolder();
    mkdirSync(folder.at('pod/work'), { recursive: true });
    makeOddTree(folder.at('checkout'));
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    for (const path of ['', 'pod', 'pod/work']) chmodSync(folder.at(path), 0o777);
    await extract(tool, (await archiveOf(folder.at('checkout'))).open(last), folder.at('pod'), user);
    const kept = { bare: tool.lostByUser };
    expect(treeFacts(folder.at('pod/work'), kept)).toEqual(treeFacts(folder.at('checkout'), kept));
  });

  test('packs outputs that arrive to the last bit and second', async () => {
    using folder = temporaryFolder();
    makeOddTree(folder.at('outputs'));
    writeFileSync(folder.at('end-of-outputs'), 'ok');
    const { warnings } = await unpack(
      create(tool, folder.path, 'outputs', 'end-of-outputs'),
      folder.at('here'),
    );
    expect(warnings).toEqual([]);
    expect(treeFacts(folder.at('here'))).toEqual(treeFacts(folder.at('outputs')));
  });

  test('there and back again', async () => {
    using folder = temporaryFolder();
    mkdirSync(folder.at('pod/work'), { recursive: true });
    makeOddTree(folder.at('checkout'));
    await extract(tool, (await archiveOf(folder.at('checkout'))).open(last), folder.at('pod'));
    writeFileSync(folder.at('pod/end-of-outputs'), 'ok');
    const place = (name: string): string => name.slice('work/'.length);
    await unpack(create(tool, folder.at('pod'), 'work', 'end-of-outputs'), folder.at('back'), { place });
    const kept = { bare: tool.lost };
    expect(treeFacts(folder.at('back'), kept)).toEqual(treeFacts(folder.at('checkout'), kept));
  });

  test('reads the size of a file beyond 8 GiB, and writes one that is read', async () => {
    using folder = temporaryFolder();
    const size = 9 * 2 ** 30 + 5;
    writeFileSync(folder.at('huge'), '');
    truncateSync(folder.at('huge'), size); // a hole: it takes no room
    const archive = await archiveOf(folder.path);
    expect(await archive.size(last)).toBe(512 + Math.ceil(size / 512) * 512 + 1024 + 1024);
    for await (const chunk of archive.open(last)) {
      expect(listing(tool, chunk)).toContain(` ${size} `);
      break;
    }
    const begun = new TarReader(chunksOf(await beginning(tool, folder.path, 'huge')));
    expect(await begun.next()).toMatchObject({ kind: 'file', size });
  });
});

test.each([['posix'], ['gnu'], ['ustar'], ['v7']])(
  'outputs in the %s format of GNU tar arrive',
  async (format) => {
    const gnu = tarTools.find(({ name }) => name === 'GNU tar');
    if (!gnu) return console.log(`skipped: ${format} needs GNU tar`);
    using folder = temporaryFolder();
    mkdirSync(folder.at('outputs/sub'), { recursive: true });
    writeFileSync(folder.at('outputs/sub/file'), 'content');
    chmodSync(folder.at('outputs/sub/file'), 0o750);
    if (format !== 'v7') writeFileSync(folder.at('outputs', 's'.repeat(98)), 'long');
    writeFileSync(folder.at('end-of-outputs'), 'ok');
    const bytes = create(
      { ...gnu, argv: [...gnu.argv, `--format=${format}`] },
      folder.path,
      'outputs',
      'end-of-outputs',
    );
    await unpack(bytes, folder.at('here'));
    expect(treeFacts(folder.at('here'))).toEqual(treeFacts(folder.at('outputs')));
  },
);
