import { isUtf8 } from 'node:buffer';
import { execFile } from 'node:child_process';
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { badInput, messageOf } from '../base/errors.ts';
import { shownPath } from './shown-path.ts';

/** The files that git would show of a folder, and the folders on the way to them; paths relative to it. */
export interface GitFiles {
  readonly files: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
}

type Environment = Readonly<Record<string, string | undefined>>;

interface GitOptions {
  readonly environment?: Environment;
  readonly signal?: AbortSignal;
}

/**
 * Asks git for the tracked and the untracked, not ignored files below `root`, also those of submodules and other
 * repositories within it. A submodule that is not checked out stays an empty folder.
 */
export async function listGitFiles(root: string, options: GitOptions): Promise<GitFiles> {
  const files = new Set<string>();
  const folders = new Set<string>();
  const repositories = [''];
  for (let prefix = repositories.pop(); prefix !== undefined; prefix = repositories.pop()) {
    for (const name of await filesOfRepository(join(root, prefix), options)) {
      const path = prefix + name.replace(/\/$/, '');
      addParents(folders, path);
      if (isFolder(join(root, path))) {
        folders.add(path);
        if (existsSync(join(root, path, '.git'))) repositories.push(`${path}/`);
      } else {
        files.add(path);
      }
    }
  }
  return { files, folders };
}

function addParents(folders: Set<string>, path: string): void {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    const parent = path.slice(0, end);
    if (folders.has(parent)) return;
    folders.add(parent);
  }
}

const isFolder = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

const run = promisify(execFile);

async function filesOfRepository(folder: string, { environment, signal }: GitOptions): Promise<string[]> {
  // A checkout's own configuration may name a program as file system monitor; nothing of it is to run here.
  const argv = ['-c', 'core.fsmonitor=false', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  try {
    const { stdout } = await run('git', argv, {
      cwd: folder,
      encoding: 'buffer',
      maxBuffer: 1024 ** 3,
      env: withoutRepository(environment ?? process.env),
      ...(signal && { signal }),
    });
    return splitNames(stdout, folder);
  } catch (error) {
    signal?.throwIfAborted();
    throw gitError(folder, error);
  }
}

/** A hook of git runs programs with these set; they would name another repository than the folder's own. */
function withoutRepository(environment: Environment): Environment {
  const ours = new Set(['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_PREFIX', 'GIT_COMMON_DIR']);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !ours.has(name)));
}

function splitNames(bytes: Buffer, folder: string): string[] {
  if (!isUtf8(bytes)) throw notUtf8(bytes, folder);
  return bytes
    .toString()
    .split('\0')
    .filter((name) => name !== '');
}

function notUtf8(bytes: Buffer, folder: string): Error {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0, start);
    const name = bytes.subarray(start, end);
    if (!isUtf8(name)) {
      return badInput(
        `the name of ${shownPath(name)} in ${shownPath(folder)} is not UTF-8 and cannot be sent; rename it`,
      );
    }
    start = end + 1;
  }
  return badInput(`git's list of files of ${shownPath(folder)} is not UTF-8`);
}

function gitError(folder: string, error: unknown): Error {
  const where = shownPath(folder);
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
    return badInput(
      `git is not installed, so the files of ${where} cannot be listed; install it or use --files all`,
      error,
    );
  }
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : messageOf(error);
  return badInput(
    `git cannot list the files of ${where}: ${said}; use --files all to send a folder without git`,
    error,
  );
}
