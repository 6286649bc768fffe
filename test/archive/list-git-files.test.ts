import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listTree } from '../../src/archive/list-tree.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

/** Without any configuration of the machine or the user. */
const environment = {
  PATH: process.env.PATH,
  GIT_CONFIG_NOSYSTEM: '1',
  HOME: '/nonexistent',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};

function git(folder: string, ...argv: readonly string[]): void {
  execFileSync('git', ['-C', folder, '-c', 'protocol.file.allow=always', ...argv], {
    env: environment,
    stdio: 'pipe',
  });
}

function repository(folder: string, ...names: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '-q');
  for (const name of names) write(folder, name);
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '-m', 'first');
}

function write(folder: string, name: string, content = name): void {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), content);
}

const paths = async (root: string, more: object = {}): Promise<string[]> =>
  (await listTree(root, { files: 'git', exclude: [], environment, ...more })).entries.map(({ path }) => path);

test('tracked and untracked files are listed, ignored and deleted ones and .git are not', async () => {
  using folder = temporaryFolder();
  repository(folder.path, 'tracked', 'deleted', 'sub/tracked', '.gitignore');
  write(folder.path, '.gitignore', '*.o\nbuild/\n');
  write(folder.path, 'a.o');
  write(folder.path, 'build/x');
  write(folder.path, 'sub/new é\n');
  mkdirSync(folder.at('empty'));
  rmSync(folder.at('deleted'));
  expect(await paths(folder.path)).toEqual(['.gitignore', 'sub', 'sub/new é\n', 'sub/tracked', 'tracked']);
});

test('a tracked file is listed even where it is ignored now; patterns leave out more', async () => {
  using folder = temporaryFolder();
  repository(folder.path, 'a.o', 'b.txt');
  write(folder.path, '.gitignore', '*.o\n');
  expect(await paths(folder.path)).toEqual(['.gitignore', 'a.o', 'b.txt']);
  expect(await paths(folder.path, { exclude: ['*.txt'] })).toEqual(['.gitignore', 'a.o']);
});

test('a folder within a repository is a checkout of its own', async () => {
  using folder = temporaryFolder();
  repository(folder.path, 'outside', 'sub/inside');
  expect(await paths(folder.at('sub'))).toEqual(['inside']);
});

test('submodules and repositories within are listed by their own rules', async () => {
  using folder = temporaryFolder();
  repository(folder.at('library'), 'lib.c');
  repository(folder.at('main'), 'main.c');
  git(folder.at('main'), 'submodule', 'add', '-q', folder.at('library'), 'vendor/library');
  write(folder.at('main'), 'vendor/library/new.c');
  write(folder.at('main'), 'vendor/library/.gitignore', '*.o\n');
  write(folder.at('main'), 'vendor/library/x.o');
  repository(folder.at('main/nested'), 'inner');
  expect(await paths(folder.at('main'))).toEqual([
    '.gitmodules',
    'main.c',
    'nested',
    'nested/inner',
    'vendor',
    'vendor/library',
    'vendor/library/.gitignore',
    'vendor/library/lib.c',
    'vendor/library/new.c',
  ]);
});

test('a submodule that is not checked out is an empty folder', async () => {
  using folder = temporaryFolder();
  repository(folder.at('library'), 'lib.c');
  repository(folder.at('main'), 'main.c');
  git(folder.at('main'), 'submodule', 'add', '-q', folder.at('library'), 'library');
  git(folder.at('main'), 'submodule', 'deinit', '-q', '-f', 'library');
  expect(await paths(folder.at('main'))).toEqual(['.gitmodules', 'library', 'main.c']);
});

test('a tracked folder that is a link now is not gone through', async () => {
  using folder = temporaryFolder();
  repository(folder.at('main'), 'sub/file');
  rmSync(folder.at('main/sub'), { recursive: true });
  write(folder.path, 'elsewhere/file');
  symlinkSync('../elsewhere', folder.at('main/sub'));
  const { entries } = await listTree(folder.at('main'), { files: 'git', exclude: [], environment });
  expect(entries).toMatchObject([{ kind: 'symlink', path: 'sub', target: '../elsewhere' }]);
});

test('a file system monitor of the checkout is not run', async () => {
  using folder = temporaryFolder();
  repository(folder.path, 'file');
  write(folder.path, 'monitor.sh', `#!/bin/sh\ntouch ${folder.at('ran')}\n`);
  execFileSync('chmod', ['+x', folder.at('monitor.sh')]);
  git(folder.path, 'config', 'core.fsmonitor', folder.at('monitor.sh'));
  expect(await paths(folder.path)).toEqual(['file', 'monitor.sh']);
});

test('variables of a hook do not lead to another repository', async () => {
  using folder = temporaryFolder();
  repository(folder.at('one'), 'a');
  repository(folder.at('two'), 'b');
  const hook = {
    ...environment,
    GIT_DIR: folder.at('two/.git'),
    GIT_INDEX_FILE: folder.at('two/.git/index'),
  };
  expect(await paths(folder.at('one'), { environment: hook })).toEqual(['a']);
});

test('a folder that is no repository is refused, with the cure', async () => {
  using folder = temporaryFolder();
  await expect(paths(folder.path, { environment: { ...environment, LC_ALL: 'C' } })).rejects.toMatchObject({
    code: 'BadInput',
    message: expect.stringMatching(
      /^git cannot list the files of ".*": .*not a git repository.*use --files all/s,
    ),
  });
});

test('a machine without git is told', async () => {
  using folder = temporaryFolder();
  await expect(paths(folder.path, { environment: { PATH: folder.path } })).rejects.toMatchObject({
    code: 'BadInput',
    message: expect.stringContaining('git is not installed'),
  });
});
