import { lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { parentOf } from './entry-name.ts';

/** As many links as Linux follows in one path. */
const mostLinks = 40;

/**
 * Whether a symbolic link leads nowhere but into `root`, step by step as the system would follow it: a target
 * that looks harmless may pass through another link and go up from there. `links` are those that are still to be
 * made, by path.
 */
export function staysInside(root: string, path: string, links: ReadonlyMap<string, LinkTarget>): boolean {
  const ahead = partsAhead(links.get(path)?.target ?? '/');
  let at = parentOf(path);
  for (let followed = 0; ahead && ahead.length > 0; ) {
    const part = ahead.pop() ?? '';
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (at === '') return false;
      at = parentOf(at);
      continue;
    }
    const next = at === '' ? part : `${at}/${part}`;
    const target = links.get(next)?.target ?? targetOnDisk(join(root, next));
    if (target === undefined) {
      at = next;
      continue;
    }
    followed += 1;
    const parts = partsAhead(target);
    if (!parts || followed > mostLinks) return false;
    ahead.push(...parts);
  }
  return ahead !== undefined;
}

export interface LinkTarget {
  readonly target: string;
}

/** The parts of a target, the first one last; undefined where it is absolute. */
const partsAhead = (target: string): string[] | undefined =>
  target.startsWith('/') ? undefined : target.split('/').reverse();

/** What cannot be looked at counts as leading out. */
function targetOnDisk(path: string): string | undefined {
  try {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
    return isLink ? readlinkSync(path) : undefined;
  } catch {
    return '/';
  }
}
