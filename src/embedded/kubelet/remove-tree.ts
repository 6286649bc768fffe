import type { Dirent } from 'node:fs';
import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes a tree, also where its folders were made unreadable. Links are not followed. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await open(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function open(path: string): Promise<void> {
  await chmod(path, 0o700).catch(() => {});
  const entries: Dirent[] = await readdir(path, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await open(join(path, entry.name));
}
