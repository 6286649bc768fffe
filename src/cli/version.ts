import { readFile } from 'node:fs/promises';

/** The version of this package. Its package.json is two folders up, from the source as from the bundle. */
export async function readVersion(): Promise<string> {
  const file = new URL('../../package.json', import.meta.url);
  const manifest: unknown = JSON.parse(await readFile(file, 'utf8'));
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : undefined;
  return String(version ?? 'unknown');
}
