import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where e2e/cluster/images.sh puts its archives. */
export function kitImagesFolder(environment: NodeJS.ProcessEnv): string {
  const caches = environment.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(environment.REALK8S_CACHE || join(caches, 'realk8s'), 'images');
}

/** The archives of these images, and of all without a list; those that are not there are left out. */
export async function kitImages(folder: string, names?: readonly string[]): Promise<string[]> {
  const files = (await readdir(folder).catch(() => [])).filter((file) => file.endsWith('.tar'));
  const wanted = names?.map((name) => name.replaceAll(/[/:]/g, '_'));
  return files
    .filter((file) => wanted?.some((name) => file.endsWith(`_${name}.tar`)) ?? true)
    .map((file) => join(folder, file));
}
