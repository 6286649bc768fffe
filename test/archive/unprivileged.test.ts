import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { listTree } from '../../src/archive/list-tree.ts';
import { packTrees } from '../../src/archive/pack-trees.ts';
import { handMadeTar } from './support/hand-made-tar.ts';
import { gathered } from './support/streams.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { unpack } from './support/unpack.ts';

/** What root may do anyway can only be tried as somebody else; this file has a process of its own. */
beforeAll(() => {
  if (process.getuid?.() !== 0) return;
  process.setgid?.(65_534);
  process.setuid?.(65_534);
});

const list = (root: string) => listTree(root, { files: 'all', exclude: [] });

test('a file that cannot be read is refused by name', async () => {
  using folder = temporaryFolder();
  mkdirSync(folder.at('sub'));
  writeFileSync(folder.at('sub/private'), 'x', { mode: 0o200 });
  await expect(list(folder.path)).rejects.toMatchObject({
    code: 'BadInput',
    message: expect.stringMatching(/sub\/private" cannot be read \(EACCES.*leave it out with --exclude/),
  });
});

test.each(['000', '100', '400'])('a folder of mode %s is refused by name', async (mode) => {
  using folder = temporaryFolder();
  mkdirSync(folder.at('closed'));
  writeFileSync(folder.at('closed/file'), 'x');
  chmodSync(folder.at('closed'), Number.parseInt(mode, 8));
  await expect(list(folder.path)).rejects.toMatchObject({
    code: 'BadInput',
    message: expect.stringMatching(/closed(\/file)?" cannot be read \(EACCES/),
  });
});

test('a file that can no longer be read ends the archive, by name', async () => {
  using folder = temporaryFolder();
  writeFileSync(folder.at('file'), 'x');
  const archive = packTrees(
    [{ listing: await list(folder.path), target: 'work', executable: false }],
    () => {},
  );
  chmodSync(folder.at('file'), 0o000);
  await expect(gathered(archive.open({ name: 'end', content: '' }))).rejects.toMatchObject({
    code: 'UploadFailed',
    message: expect.stringContaining(`"${folder.at('file')}" can no longer be read (EACCES`),
  });
});

test('read-only folders and files can be fetched, and fetched again', async () => {
  using folder = temporaryFolder();
  const archive = handMadeTar(
    { name: 'outputs/locked/', type: '5', mode: 0o500 },
    { name: 'outputs/locked/in/', type: '5', mode: 0o000 },
    { name: 'outputs/locked/in/file', content: 'x', mode: 0o000 },
    { name: 'outputs/locked/file', content: 'x', mode: 0o444 },
    { name: 'outputs/locked/link', type: '2', target: 'file' },
  );
  await unpack(archive, folder.at('here'));
  await unpack(archive, folder.at('here'));
  expect(lstatSync(folder.at('here/locked')).mode & 0o7777).toBe(0o500);
  chmodSync(folder.at('here/locked'), 0o700);
  expect(lstatSync(folder.at('here/locked/in')).mode & 0o7777).toBe(0o000);
  chmodSync(folder.at('here/locked/in'), 0o700);
  expect(readdirSync(folder.at('here/locked/in'))).toEqual(['file']);
});

test('a destination that cannot be written is an error that names the file', async () => {
  const locked = mkdtempSync(join(tmpdir(), 'knotless-locked-'));
  chmodSync(locked, 0o500);
  await expect(unpack(handMadeTar({ name: 'outputs/a', content: 'x' }), locked)).rejects.toMatchObject({
    code: 'LocalWriteFailed',
    message: expect.stringContaining(`"${locked}/a" could not be written: EACCES`),
  });
  expect(readdirSync(locked)).toEqual([]);
  rmSync(locked, { recursive: true });
});
