import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const temporaryFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'knotless-contract-'));

/** Removes a folder, read-only ones inside it too. */
export async function removeFolder(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) await chmod(join(entry.parentPath, entry.name), 0o755);
  }
  await rm(folder, { recursive: true, force: true });
}
