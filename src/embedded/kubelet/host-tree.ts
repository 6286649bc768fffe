import { lstat, readFile, readlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Link, Mount, RootParts } from './root-spec.ts';
import { readOnlyBind } from './root-spec.ts';

const programFolders = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'usr', 'opt', 'nix', 'gnu'];
const settingFolders = ['etc/alternatives', 'etc/ssl', 'etc/pki', 'etc/crypto-policies'];
const settingFiles = [
  'ld.so.cache',
  'ld.so.conf',
  'localtime',
  'os-release',
  'nsswitch.conf',
  'resolv.conf',
  'protocols',
  'services',
  'mime.types',
];

/** Mount points below `folder`, from the text of /proc/self/mountinfo. */
export function mountsBelow(mountInfo: string, folder: string): string[] {
  return mountInfo
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .map((path) =>
      path.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
    )
    .filter((path) => path.startsWith(`${folder}/`));
}

/** Where the running Node is, when it is not among the folders that are shown anyway. */
async function nodeMounts(execPath: string): Promise<Mount[]> {
  const folder = dirname(execPath);
  if (programFolders.some((name) => execPath.startsWith(`/${name}/`))) return [];
  const modules = join(dirname(folder), 'lib', 'node_modules');
  const paths = (await kindOf(modules)) === 'folder' ? [folder, modules] : [folder];
  return paths.map((path) => readOnlyBind(path));
}

async function kindOf(path: string): Promise<'link' | 'folder' | 'file' | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return undefined;
  return found.isSymbolicLink() ? 'link' : found.isDirectory() ? 'folder' : 'file';
}

/** What of this machine every pod sees: programs and the settings that they need, read-only. */
export async function hostParts(execPath: string): Promise<RootParts> {
  const mountInfo = await readFile('/proc/self/mountinfo', 'utf8');
  const mounts: Mount[] = [];
  const links: Link[] = [];
  for (const name of programFolders) {
    const path = `/${name}`;
    const kind = await kindOf(path);
    if (kind === 'link') links.push({ path, says: await readlink(path) });
    if (kind !== 'folder') continue;
    mounts.push(readOnlyBind(path));
    // A mount inside comes along, but writable as it was: it is covered by a read-only view of itself.
    for (const below of mountsBelow(mountInfo, path)) mounts.push(readOnlyBind(below));
  }
  for (const name of settingFolders) {
    const path = `/${name}`;
    if ((await kindOf(path)) === 'folder') mounts.push(readOnlyBind(path));
  }
  return { mounts: [...mounts, ...(await nodeMounts(execPath))], links };
}

/** Small files of /etc that programs need, by name; every pod gets a copy. */
export async function hostSettings(): Promise<ReadonlyMap<string, Buffer>> {
  const found = await Promise.all(
    settingFiles.map(
      async (name) => [name, await readFile(join('/etc', name)).catch(() => undefined)] as const,
    ),
  );
  return new Map(found.flatMap(([name, content]) => (content ? [[name, content] as const] : [])));
}
