import { posix } from 'node:path';
import { quantity } from '../../base/quantity.ts';
import type { Container, PodVolume } from '../store/pod.ts';

/** One mount in a container's root; its target is absolute in there. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly type: 'none' | 'tmpfs' | 'proc';
  readonly options: string;
  readonly point: 'folder' | 'file';
}

export interface Link {
  readonly path: string;
  readonly says: string;
}

/** What a container's root is made of, besides its own files. Parents come before what is in them. */
export interface RootParts {
  readonly mounts: readonly Mount[];
  readonly links: readonly Link[];
}

export const readOnlyBind = (source: string, target = source): Mount => ({
  source,
  target,
  type: 'none',
  options: 'rbind,ro,nosuid',
  point: 'folder',
});

const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];

/** /proc and a /dev with only what a container has. */
export const systemParts = (): RootParts => ({
  mounts: [
    { source: 'proc', target: '/proc', type: 'proc', options: 'nosuid,nodev,noexec', point: 'folder' },
    ...devices.map((name): Mount => {
      const path = `/dev/${name}`;
      return { source: path, target: path, type: 'none', options: 'bind', point: 'file' };
    }),
    { source: 'shm', target: '/dev/shm', type: 'tmpfs', options: 'mode=1777,size=64m', point: 'folder' },
  ],
  links: [
    { path: '/dev/fd', says: '/proc/self/fd' },
    { path: '/dev/stdin', says: '/proc/self/fd/0' },
    { path: '/dev/stdout', says: '/proc/self/fd/1' },
    { path: '/dev/stderr', says: '/proc/self/fd/2' },
  ],
});

/** An absolute path that cannot lead out of the root, whatever it says. */
export const inside = (path: string): string => posix.normalize(`/${path}`).replace(/(.)\/$/, '$1');

/** The mounts of a container's volumes, parents first. `folderOf` says where a volume is on this machine. */
export function volumeMounts(
  container: Container,
  volumes: readonly PodVolume[],
  folderOf: (volume: PodVolume) => string | undefined,
): Mount[] {
  const mounts = (container.volumeMounts ?? []).flatMap((mount): Mount[] => {
    const volume = volumes.find(({ name }) => name === mount.name);
    if (!volume) return [];
    const target = inside(mount.mountPath);
    const folder = folderOf(volume);
    if (folder !== undefined) {
      const bind = readOnlyBind(folder, target);
      return [mount.readOnly ? bind : { ...bind, options: 'rbind' }];
    }
    const size = volume.emptyDir?.sizeLimit;
    const bytes = size === undefined ? undefined : quantity(size);
    const options = `mode=777${bytes ? `,size=${Math.ceil(bytes)}` : ''}`;
    return [{ source: 'memory', target, type: 'tmpfs', options, point: 'folder' }];
  });
  return mounts.sort((left, right) => left.target.length - right.target.length);
}

const escaped = (text: string): string =>
  text.replace(/[\s\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);

/**
 * The mounts as a table for `mount --all`, which makes all of them in one process. The first makes `root` itself
 * a mount, as pivot_root wants it.
 */
export const mountTable = (root: string, mounts: readonly Mount[]): string =>
  [{ source: root, target: '', type: 'none', options: 'bind' }, ...mounts]
    .map(({ source, target, type, options }) =>
      // A mount inside of another one has no place of its own before that one is there.
      [escaped(source), escaped(root + target), type, `${options},X-mount.mkdir`, '0', '0'].join(' '),
    )
    .map((line) => `${line}\n`)
    .join('');
