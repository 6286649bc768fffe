import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** What a test compares of everything below a folder, by path. */
export type TreeFacts = Record<string, string>;

export interface FactOptions {
  /** Folders whose mode and time are not looked at. */
  readonly bare?: readonly string[];
}

export function treeFacts(root: string, { bare = [] }: FactOptions = {}): TreeFacts {
  const facts: TreeFacts = {};
  const firstNames = new Map<string, string>();
  const visit = (folder: string): void => {
    for (const name of readdirSync(join(root, folder)).sort()) {
      const path = folder === '' ? name : `${folder}/${name}`;
      const full = join(root, path);
      const stats = lstatSync(full);
      const mode = (stats.mode & 0o7777).toString(8);
      const mtime = Math.floor(stats.mtimeMs / 1000);
      if (stats.isDirectory()) {
        facts[path] = bare.includes(path) ? 'folder' : `folder ${mode} ${mtime}`;
        visit(path);
      } else if (stats.isSymbolicLink()) {
        facts[path] = `symlink ${readlinkSync(full)}`;
      } else if (stats.isFile()) {
        const first = firstNames.get(`${stats.dev}:${stats.ino}`);
        firstNames.set(`${stats.dev}:${stats.ino}`, first ?? path);
        const hash = createHash('sha256').update(readFileSync(full)).digest('hex').slice(0, 16);
        facts[path] = first ? `link to ${first}` : `file ${mode} ${mtime} ${stats.size} ${hash}`;
      } else {
        facts[path] = 'special';
      }
    }
  };
  visit('');
  return facts;
}
