import { access, constants, lstat } from 'node:fs/promises';
import { posix } from 'node:path';

export const notInPath = (name: string): string => `exec: "${name}": executable file not found in $PATH`;

async function fault(path: string): Promise<'missing' | 'denied' | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return 'missing';
  // Where a link leads cannot be told from outside of the container's root; the program's own start will tell.
  if (found.isSymbolicLink()) return undefined;
  if (!found.isFile()) return 'denied';
  return access(path, constants.X_OK).then(
    () => undefined,
    () => 'denied',
  );
}

/** Why a program cannot be started in the root at `root`, as a container runtime says it; undefined if it can. */
export async function executableFault(
  root: string,
  name: string,
  path: string,
  workdir: string,
): Promise<string | undefined> {
  if (name.includes('/')) {
    const found = await fault(`${root}${posix.resolve(workdir, name)}`);
    if (found === 'missing') return `exec: "${name}": stat ${name}: no such file or directory`;
    return found === 'denied' ? `exec: "${name}": permission denied` : undefined;
  }
  for (const folder of path.split(':')) {
    if ((await fault(`${root}${posix.resolve('/', folder, name)}`)) === undefined) return undefined;
  }
  return notInPath(name);
}
