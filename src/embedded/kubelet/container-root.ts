import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Mount, RootParts } from './root-spec.ts';

const folders: readonly (readonly [path: string, mode: number])[] = [
  ['etc', 0o755],
  ['home', 0o755],
  ['root', 0o700],
  ['run', 0o755],
  ['sys', 0o755],
  ['tmp', 0o1777],
  ['var', 0o755],
  ['var/tmp', 0o1777],
];

/** The few files of a container's own /etc. */
const ownFiles = (hostname: string): Readonly<Record<string, string>> => ({
  passwd: 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/sh\n',
  group: 'root:x:0:\nnogroup:x:65534:\n',
  hosts: `127.0.0.1\tlocalhost\n::1\tlocalhost\n127.0.0.1\t${hostname}\n`,
  hostname: `${hostname}\n`,
  // umount(8) run as an unprivileged user looks here, and fails where the file is missing.
  fstab: '',
});

/** Makes the folder that becomes a container's root: its own files, and a place for every mount. */
export async function makeRoot(
  root: string,
  hostname: string,
  settings: ReadonlyMap<string, Buffer>,
  { mounts, links }: RootParts,
): Promise<void> {
  await mkdir(root, { recursive: true });
  for (const [path, mode] of folders) {
    await mkdir(join(root, path));
    await chmod(join(root, path), mode);
  }
  const files = [...settings, ...Object.entries(ownFiles(hostname))];
  await Promise.all(files.map(([name, content]) => writeFile(join(root, 'etc', name), content)));
  for (const mount of mounts) if (!isNested(mount, mounts)) await makePoint(root, mount);
  // Last, so that nothing above was made through one of them.
  await Promise.all(links.map(({ path, says }) => symlink(says, join(root, path))));
}

const isNested = ({ target }: Mount, mounts: readonly Mount[]): boolean =>
  mounts.some((other) => target.startsWith(`${other.target}/`));

async function makePoint(root: string, { target, point }: Mount): Promise<void> {
  const path = join(root, target);
  await mkdir(point === 'folder' ? path : dirname(path), { recursive: true });
  if (point === 'file') await writeFile(path, '');
}
