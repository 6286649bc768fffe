import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { expect, test } from 'vitest';
import { listTree } from '../../src/archive/list-tree.ts';
import { packTrees } from '../../src/archive/pack-trees.ts';
import { TarReader } from '../../src/archive/tar-reader.ts';
import { makeOddTree } from './support/odd-tree.ts';
import { gathered, Warnings } from './support/streams.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const last = { name: 'work/.end', content: 'the end' };
const list = (root: string) => listTree(root, { files: 'all', exclude: [] });
const noWarning = (message: string): never => {
  throw new Error(message);
};

const archiveOf = async (root: string, warn: (message: string) => void = noWarning) =>
  packTrees([{ listing: await list(root), target: 'work', executable: false }], warn);

async function entriesOf(bytes: AsyncIterable<Uint8Array>): Promise<string[]> {
  const reader = new TarReader(bytes);
  const entries: string[] = [];
  for (let entry = await reader.next(); entry; entry = await reader.next()) {
    entries.push(`${entry.kind} ${entry.mode.toString(8)} ${Buffer.from(entry.name)}`);
  }
  return entries;
}

test('the size is known before and exact, whatever the names and contents are', async () => {
  using folder = temporaryFolder();
  makeOddTree(folder.path);
  const archive = await archiveOf(folder.path);
  for (const lastEntry of [last, { name: `work/${'l'.repeat(150)}`, content: 'é'.repeat(700) }]) {
    expect((await gathered(archive.open(lastEntry))).length).toBe(await archive.size(lastEntry));
  }
});

test('an archive can be opened again and is the same', async () => {
  using folder = temporaryFolder();
  makeOddTree(folder.path);
  const archive = await archiveOf(folder.path);
  expect((await gathered(archive.open(last))).equals(await gathered(archive.open(last)))).toBe(true);
});

test('both trees are there, without their roots; folders come again at the end', async () => {
  using folder = temporaryFolder();
  mkdirSync(folder.at('checkout/locked'), { recursive: true });
  mkdirSync(folder.at('shared'));
  writeFileSync(folder.at('checkout/locked/file'), 'x', { mode: 0o640 });
  chmodSync(folder.at('checkout/locked'), 0o555);
  writeFileSync(folder.at('shared/build'), 'x', { mode: 0o600 });
  linkSync(folder.at('shared/build'), folder.at('shared/make'));
  symlinkSync('build', folder.at('shared/run'));
  const archive = packTrees(
    [
      { listing: await list(folder.at('checkout')), target: 'work', executable: false },
      { listing: await list(folder.at('shared')), target: 'steps', executable: true },
    ],
    noWarning,
  );
  expect(await entriesOf(archive.open(last))).toEqual([
    'folder 755 work/locked/',
    'file 640 work/locked/file',
    'file 755 steps/build',
    'link 755 steps/make',
    'symlink 777 steps/run',
    'folder 555 work/locked/',
    'file 644 work/.end',
  ]);
  expect((await gathered(archive.open(last))).length).toBe(await archive.size(last));
});

test('setuid and sticky bits are kept', async () => {
  using folder = temporaryFolder();
  writeFileSync(folder.at('file'), '');
  chmodSync(folder.at('file'), 0o4755);
  mkdirSync(folder.at('shared'));
  chmodSync(folder.at('shared'), 0o3777);
  expect(await entriesOf((await archiveOf(folder.path)).open(last))).toContain('file 4755 work/file');
  expect(await entriesOf((await archiveOf(folder.path)).open(last))).toContain('folder 3777 work/shared/');
});

test('chunks are big, also of many small files', async () => {
  using folder = temporaryFolder();
  for (let index = 0; index < 500; index += 1) writeFileSync(folder.at(`${index}`), 'x'.repeat(index));
  const sizes: number[] = [];
  for await (const chunk of (await archiveOf(folder.path)).open(last)) sizes.push(chunk.length);
  expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThanOrEqual(64 * 1024);
});

test.each([
  ['small', 10],
  ['large', 3_000_000],
])('a %s file that became shorter ends the archive, by name', async (_, size) => {
  using folder = temporaryFolder();
  writeFileSync(folder.at('file'), 'x'.repeat(size));
  const archive = await archiveOf(folder.path);
  truncateSync(folder.at('file'), size - 1);
  await expect(gathered(archive.open(last))).rejects.toMatchObject({
    code: 'UploadFailed',
    message: expect.stringContaining(`"${folder.at('file')}" became shorter while it was being sent`),
  });
});

test('a file that becomes shorter while it is read ends the archive, by name', async () => {
  using folder = temporaryFolder();
  writeFileSync(folder.at('file'), 'x'.repeat(3_000_000));
  const bytes = (await archiveOf(folder.path)).open(last)[Symbol.asyncIterator]();
  await bytes.next();
  truncateSync(folder.at('file'), 1000);
  const rest = gathered({ [Symbol.asyncIterator]: () => bytes });
  await expect(rest).rejects.toMatchObject({
    code: 'UploadFailed',
    message: expect.stringContaining('became shorter'),
  });
});

test('a file that grew is sent as long as it was, with a warning', async () => {
  using folder = temporaryFolder();
  writeFileSync(folder.at('log'), 'first');
  const warnings = new Warnings();
  const archive = await archiveOf(folder.path, warnings.warn);
  writeFileSync(folder.at('log'), 'first and more', { flag: 'r+' });
  const bytes = await gathered(archive.open(last));
  expect(bytes.length).toBe(await archive.size(last));
  expect(bytes.includes('first\0')).toBe(true);
  expect(warnings.all).toEqual([
    `"${folder.at('log')}" grew after it was listed; its first 5 bytes are sent`,
  ]);
});

test('a file that vanished ends the archive, by name', async () => {
  using folder = temporaryFolder();
  writeFileSync(folder.at('file'), 'x');
  const archive = await archiveOf(folder.path);
  rmSync(folder.at('file'));
  await expect(gathered(archive.open(last))).rejects.toMatchObject({
    code: 'UploadFailed',
    message: expect.stringContaining(`"${folder.at('file')}" can no longer be read`),
  });
});

test.each([
  ['a FIFO', (path: string) => execFileSync('mkfifo', [path])],
  ['a link to something secret', (path: string) => symlinkSync('/etc/passwd', path)],
  ['a folder', (path: string) => mkdirSync(path)],
  ['another file', (path: string) => renameSync(`${path}.other`, path)],
])('a file that is %s now is not sent, and nothing hangs', async (_, replace) => {
  using folder = temporaryFolder();
  writeFileSync(folder.at('file'), 'x');
  const archive = await archiveOf(folder.path);
  // Made before the first is gone, so that it cannot get the same inode.
  writeFileSync(folder.at('file.other'), 'y');
  rmSync(folder.at('file'));
  replace(folder.at('file'));
  await expect(gathered(archive.open(last))).rejects.toMatchObject({ code: 'UploadFailed' });
});

test('a reader that stops early leaves no file open', async () => {
  using folder = temporaryFolder();
  writeFileSync(folder.at('file'), 'x'.repeat(3_000_000));
  const open = (): string => execFileSync('ls', ['-l', `/proc/${process.pid}/fd`]).toString();
  for await (const _ of (await archiveOf(folder.path)).open(last)) break;
  expect(open()).not.toContain(folder.at('file'));
});
