import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  chmod,
  link,
  lstat,
  mkdir,
  readdir,
  readlink,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const day = 86_400;

/** Fills a folder with all that an archive may get wrong. */
export async function makeOddTree(root: string): Promise<void> {
  const at = (...parts: string[]): string => join(root, ...parts);
  const file = async (path: string, content: string, mode = 0o644): Promise<void> => {
    await writeFile(at(path), content);
    await chmod(at(path), mode);
  };
  const long = `${'d'.repeat(100)}/${'e'.repeat(100)}/${'f'.repeat(60)}`;
  for (const folder of [long, 'empty/inside', '.git/objects', 'ünïcode', 'read-only']) {
    await mkdir(at(folder), { recursive: true });
  }
  await file(`${long}/${'n'.repeat(120)}.txt`, 'deep');
  await file('script.sh', '#!/bin/sh\necho it runs\n', 0o755);
  await file('private', 'only mine', 0o600);
  await file('zero', '');
  await file('.git/HEAD', 'ref: refs/heads/main\n');
  await file('read-only/file', 'fixed', 0o444);
  await file('-leading dash', 'x');
  await file('with space and "quotes" and \'more\'', 'x');
  await file('new\nline\ttab', 'x');
  await file('star*?[a]\\back$HOME', 'x');
  await file('emoji 👩‍🚀', 'x');
  await file('cafe\u0301 and caf\u00e9', 'x');
  await file('.hidden', 'x');
  await file('block', 'b'.repeat(512));
  await file('over', 'o'.repeat(513));
  await file('sparse', '');
  await truncate(at('sparse'), 20_000_000);
  await link(at('private'), at('empty/hard-link'));
  await symlink('script.sh', at('link'));
  await symlink('../private', at('empty/up'));
  await symlink('nowhere', at('dangling'));
  const then = Math.floor(Date.now() / 1000);
  await utimes(at('script.sh'), then - 400 * day, then - 400 * day);
  await utimes(at('zero'), then + 3600, then + 3600); // an hour ahead
  await utimes(at('.git'), then - day, then - day);
}

/** One line for each thing in a tree: path, kind, mode, time in seconds, content. */
export async function describeTree(root: string): Promise<string[]> {
  const lines: string[] = [];
  const inodes = new Map<number, string>();
  for (const path of (await readdir(root, { recursive: true })).sort()) {
    const stats = await lstat(join(root, path));
    const mode = (stats.mode & 0o7777).toString(8);
    const common = `${JSON.stringify(path)} ${mode} ${Math.floor(stats.mtimeMs / 1000)}`;
    const twin = stats.nlink > 1 && stats.isFile() ? inodes.get(stats.ino) : undefined;
    inodes.set(stats.ino, path);
    if (stats.isSymbolicLink()) lines.push(`${JSON.stringify(path)} -> ${await readlink(join(root, path))}`);
    else if (twin !== undefined) lines.push(`${common} = ${JSON.stringify(twin)}`);
    else if (stats.isFile()) lines.push(`${common} ${stats.size} ${await sha256(join(root, path))}`);
    // The time of a folder is kept only where the image's tar keeps it.
    else lines.push(`${JSON.stringify(path)} ${mode} ${stats.isDirectory() ? 'folder' : 'other'}`);
  }
  return lines;
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex').slice(0, 16);
}
