import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ListOptions } from '../../src/archive/list-tree.ts';
import { listTree } from '../../src/archive/list-tree.ts';
import { makeOddTree } from './support/odd-tree.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const options: ListOptions = { files: 'all', exclude: [] };

const paths = async (root: string, more: Partial<ListOptions> = {}): Promise<string[]> =>
  (await listTree(root, { ...options, ...more })).entries.map(({ path }) => path);

function files(root: string, ...names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), name);
  }
}

test('files, folders, links and symbolic links are listed, each folder before its content', async () => {
  using folder = temporaryFolder();
  files(folder.path, 'b/file', 'a.txt', '.git/HEAD');
  mkdirSync(folder.at('empty'));
  symlinkSync('/etc/passwd', folder.at('out'));
  linkSync(folder.at('a.txt'), folder.at('b/again'));
  utimesSync(folder.at('a.txt'), 5, 1_234_567_890.75);
  const { entries, warnings } = await listTree(folder.path, options);
  expect(entries.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
    'folder .git',
    'file .git/HEAD',
    'file a.txt',
    'folder b',
    'link b/again',
    'file b/file',
    'folder empty',
    'symlink out',
  ]);
  expect(entries[2]).toMatchObject({ mtime: 1_234_567_890, size: 5 });
  expect(entries[4]).toMatchObject({ target: 'a.txt' });
  expect(entries[7]).toMatchObject({ target: '/etc/passwd' });
  expect(warnings).toEqual([]);
});

test('two listings of one tree are the same', async () => {
  using folder = temporaryFolder();
  files(folder.path, 'z', 'Z', 'é', 'a/1', 'a/10', 'a/2', 'a-b', 'a.b');
  expect(await listTree(folder.path, options)).toEqual(await listTree(folder.path, options));
});

test('sockets and FIFOs are left out with a warning, and nothing hangs on them', async () => {
  using folder = temporaryFolder();
  execFileSync('mkfifo', [folder.at('pipe')]);
  const server = createServer().listen(folder.at('sock et'));
  await once(server, 'listening');
  const { entries, warnings } = await listTree(folder.path, options);
  server.close();
  expect(entries).toEqual([]);
  expect(warnings).toEqual([
    `"${folder.at('pipe')}" was left out: it is a FIFO`,
    `"${folder.at('sock et')}" was left out: it is a socket`,
  ]);
});

test('a name that is not UTF-8 is refused by name', async () => {
  using folder = temporaryFolder();
  mkdirSync(folder.at('sub'));
  writeFileSync(Buffer.concat([Buffer.from(folder.at('sub/')), Buffer.from('caf\xe9', 'latin1')]), '');
  await expect(listTree(folder.path, options)).rejects.toMatchObject({
    code: 'BadInput',
    message: expect.stringContaining(`"caf\\xe9" in "${folder.at('sub')}" is not UTF-8`),
  });
  expect(await paths(folder.path, { exclude: ['sub'] })).toEqual([]);
});

test('a target that is not UTF-8 is refused by name', async () => {
  using folder = temporaryFolder();
  symlinkSync(Buffer.from('caf\xe9', 'latin1'), folder.at('link'));
  await expect(listTree(folder.path, options)).rejects.toMatchObject({
    code: 'BadInput',
    message: expect.stringContaining(`the target of the symbolic link "${folder.at('link')}" is not UTF-8`),
  });
});

test('a root that is missing or a file is refused', async () => {
  using folder = temporaryFolder();
  files(folder.path, 'file');
  await expect(listTree(folder.at('none'), options)).rejects.toMatchObject({
    code: 'BadInput',
    message: expect.stringContaining('does not exist'),
  });
  await expect(listTree(folder.at('file'), options)).rejects.toMatchObject({
    code: 'BadInput',
    message: expect.stringContaining('is not a folder'),
  });
});

test('a root that is a symbolic link is followed', async () => {
  using folder = temporaryFolder();
  files(folder.path, 'real/file');
  symlinkSync('real', folder.at('root'));
  expect(await paths(folder.at('root'))).toEqual(['file']);
});

test('an abort ends the listing', async () => {
  using folder = temporaryFolder();
  files(folder.path, 'file');
  const reason = new Error('stop');
  await expect(listTree(folder.path, { ...options, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

test('patterns leave out what lines of a .gitignore would', async () => {
  using folder = temporaryFolder();
  files(
    folder.path,
    'a.log',
    'keep.log',
    'dist/x',
    'sub/dist/y',
    'sub/a.log',
    'Node_modules/z',
    'node_modules/z/a',
  );
  expect(await paths(folder.path, { exclude: ['*.log', '!keep.log', '/dist', 'node_modules/'] })).toEqual([
    'Node_modules',
    'Node_modules/z',
    'keep.log',
    'sub',
    'sub/dist',
    'sub/dist/y',
  ]);
});

test('a pattern is one pattern, whatever is in it', async () => {
  using folder = temporaryFolder();
  files(folder.path, 'a', 'b', 'a\nb');
  expect(await paths(folder.path, { exclude: ['a\nb'] })).toEqual(['a', 'b']);
});

test('odd names are no trouble for patterns', async () => {
  using folder = temporaryFolder();
  makeOddTree(folder.path);
  expect(await paths(folder.path, { exclude: ['no such file'] })).toEqual(await paths(folder.path));
});

test('what is left out is not gone into', async () => {
  using folder = temporaryFolder();
  mkdirSync(Buffer.concat([Buffer.from(folder.at('bad-')), Buffer.from([0xff])]));
  await expect(listTree(folder.path, options)).rejects.toMatchObject({ code: 'BadInput' });
  mkdirSync(folder.at('good'));
  rmSync(Buffer.concat([Buffer.from(folder.at('bad-')), Buffer.from([0xff])]), { recursive: true });
  mkdirSync(Buffer.concat([Buffer.from(folder.at('good/')), Buffer.from([0xff])]));
  expect(await paths(folder.path, { exclude: ['good'] })).toEqual([]);
});
