import { isUtf8 } from 'node:buffer';
import type { Stats } from 'node:fs';
import { accessSync, constants, lstatSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import ignore from 'ignore';
import { badInput, messageOf } from '../base/errors.ts';
import { isMissing } from '../base/system-error.ts';
import type { GitFiles } from './list-git-files.ts';
import { listGitFiles } from './list-git-files.ts';
import { shownPath } from './shown-path.ts';
import { timeSlices } from './time-slice.ts';
import type { TreeEntry, TreeListing } from './tree-listing.ts';

export interface ListOptions {
  /** `git`: what git tracks and the untracked files that it does not ignore. */
  readonly files: 'all' | 'git';
  /**
   * Patterns of what to leave out, read like lines of a .gitignore at the root: `node_modules`, `/dist`,
   * `*.log`, `!keep.log`.
   */
  readonly exclude: readonly string[];
  /** Git's environment; this process's own by default. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/**
 * Lists what is to be sent of a folder. Nothing but folders is opened, so nothing hangs. Rejects with a BadInput
 * RunnerError naming what cannot be sent: an unreadable file or folder, a name that is not UTF-8. Sockets, FIFOs
 * and devices are left out with a warning. What is deleted meanwhile is left out.
 */
export async function listTree(root: string, options: ListOptions): Promise<TreeListing> {
  checkRoot(root);
  const git = options.files === 'git' ? await listGitFiles(root, options) : undefined;
  return new TreeWalk(root, excluded(options.exclude), git).walk(options.signal);
}

function checkRoot(root: string): void {
  const stats = statSync(root, { throwIfNoEntry: false });
  if (!stats) throw badInput(`the folder ${shownPath(root)} does not exist`);
  if (!stats.isDirectory()) throw badInput(`${shownPath(root)} is not a folder; name the folder to send`);
}

type IsExcluded = (path: string, isFolder: boolean) => boolean;

function excluded(patterns: readonly string[]): IsExcluded {
  if (patterns.length === 0) return () => false;
  // Each as a single pattern: given as text they would be split at line ends.
  const rules = ignore({ ignorecase: false }).add(patterns.map((pattern) => ({ pattern })));
  return (path, isFolder) => rules.ignores(isFolder ? `${path}/` : path);
}

class TreeWalk {
  private readonly entries: TreeEntry[] = [];
  private readonly warnings: string[] = [];
  /** The first path of each file that has several. */
  private readonly firstPaths = new Map<string, string>();
  private readonly root: string;
  private readonly isExcluded: IsExcluded;
  private readonly git: GitFiles | undefined;

  constructor(root: string, isExcluded: IsExcluded, git: GitFiles | undefined) {
    this.root = root;
    this.isExcluded = isExcluded;
    this.git = git;
  }

  async walk(signal: AbortSignal | undefined): Promise<TreeListing> {
    const pause = timeSlices(signal);
    const waiting = this.childrenOf('');
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      await pause();
      if (this.add(path)) waiting.push(...this.childrenOf(path));
    }
    return { root: this.root, entries: this.entries, warnings: this.warnings };
  }

  /** Paths in a folder, the last to be listed first. */
  private childrenOf(folder: string): string[] {
    const names = this.look(folder, () => readdirSync(this.full(folder), { encoding: 'buffer' })) ?? [];
    const prefix = folder === '' ? '' : `${folder}/`;
    return names
      .map(
        (name) => prefix + this.text(name, () => `the name of ${shownPath(name)} in ${this.shown(folder)}`),
      )
      .sort()
      .reverse();
  }

  /** Lists one path; true where it is a folder to go into. */
  private add(path: string): boolean {
    const stats = this.look(path, () => lstatSync(this.full(path)));
    if (!stats || !this.isWanted(path, stats.isDirectory())) return false;
    const common = { path, mode: stats.mode & 0o7777, mtime: Math.floor(stats.mtimeMs / 1000) };
    if (stats.isDirectory()) {
      this.entries.push({ kind: 'folder', ...common });
      return true;
    }
    if (stats.isSymbolicLink()) {
      const target = this.look(path, () => readlinkSync(this.full(path), { encoding: 'buffer' }));
      const what = () => `the target of the symbolic link ${this.shown(path)}`;
      if (target) this.entries.push({ kind: 'symlink', ...common, target: this.text(target, what) });
    } else if (stats.isFile()) {
      this.addFile(stats, common);
    } else {
      this.warnings.push(`${this.shown(path)} was left out: it is a ${specialKind(stats)}`);
    }
    return false;
  }

  private addFile(stats: Stats, common: { path: string; mode: number; mtime: number }): void {
    const path = this.full(common.path);
    if (this.look(common.path, () => accessSync(path, constants.R_OK) ?? true) === undefined) return;
    const first = stats.nlink > 1 ? this.firstPathOf(common.path) : undefined;
    if (first !== undefined) this.entries.push({ kind: 'link', ...common, target: first });
    else this.entries.push({ kind: 'file', ...common, size: stats.size, inode: stats.ino });
  }

  /** The path by which the same file is listed already. Inode numbers are exact only as big integers. */
  private firstPathOf(path: string): string | undefined {
    const stats = this.look(path, () => lstatSync(this.full(path), { bigint: true }));
    if (!stats) return undefined;
    const identity = `${stats.dev}:${stats.ino}`;
    const first = this.firstPaths.get(identity);
    if (first === undefined) this.firstPaths.set(identity, path);
    return first;
  }

  private isWanted(path: string, isFolder: boolean): boolean {
    if (this.git && !(isFolder ? this.git.folders : this.git.files).has(path)) return false;
    return !this.isExcluded(path, isFolder);
  }

  /** Undefined where it is gone meanwhile. */
  private look<T>(path: string, call: () => T): T | undefined {
    try {
      return call();
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw badInput(
        `${this.shown(path)} cannot be read (${messageOf(error)}); make it readable or leave it out with --exclude`,
        error,
      );
    }
  }

  private text(bytes: Buffer, what: () => string): string {
    if (isUtf8(bytes)) return bytes.toString();
    throw badInput(
      `${what()} is not UTF-8 and cannot be sent; rename it or leave its folder out with --exclude`,
    );
  }

  private full(path: string): string {
    return `${this.root}/${path}`;
  }

  private shown(path: string): string {
    return shownPath(join(this.root, path));
  }
}

function specialKind(stats: Stats): string {
  if (stats.isSocket()) return 'socket';
  if (stats.isFIFO()) return 'FIFO';
  return 'device';
}
