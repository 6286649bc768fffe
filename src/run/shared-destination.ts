import { readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Destination } from './destination.ts';

/** As many links as Linux follows. */
const mostLinks = 40;

/** The name of a destination that is another one of the list as well, by whatever name; undefined where none is. */
export async function sharedDestination(
  destinations: readonly (Destination | undefined)[],
): Promise<string | undefined> {
  const seen = new Set<unknown>();
  for (const destination of destinations) {
    if (!destination) continue;
    const isFile = destination.kind === 'file';
    const identity = isFile ? await identityOf(resolve(destination.path), mostLinks) : destination.stream;
    if (seen.has(identity)) return isFile ? destination.path : destination.name;
    seen.add(identity);
  }
  return undefined;
}

/** A file that is not there yet is told by where its links end, one that is there by its inode. */
async function identityOf(path: string, links: number): Promise<string> {
  const folder = await realpath(dirname(path)).catch(() => dirname(path));
  const target = await readlink(path).catch(() => undefined);
  if (target !== undefined && links > 0) return identityOf(resolve(folder, target), links - 1);
  const there = await stat(path).catch(() => undefined);
  return there?.isFile() ? `${there.dev}:${there.ino}` : join(folder, basename(path));
}
