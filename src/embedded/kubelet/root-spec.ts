import { posix } from 'node:path';
import type { Container, PodVolume } from '../store/pod.ts';
import { quantity } from '../store/quantity.ts';

/** One line of the file that pod-root.sh reads; targets are absolute in the container. */
export interface Mount {
  readonly verb: 'link' | 'ro' | 'rw' | 'seal' | 'tmpfs' | 'proc';
  readonly source: string;
  readonly target: string;
}

const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];

/** /proc and a /dev with only what a container has. */
export const systemMounts = (): Mount[] => [
  { verb: 'proc', source: 'proc', target: '/proc' },
  { verb: 'tmpfs', source: 'mode=755,size=64k', target: '/dev' },
  ...devices.map((name): Mount => ({ verb: 'rw', source: `/dev/${name}`, target: `/dev/${name}` })),
  { verb: 'link', source: '/proc/self/fd', target: '/dev/fd' },
  { verb: 'link', source: '/proc/self/fd/0', target: '/dev/stdin' },
  { verb: 'link', source: '/proc/self/fd/1', target: '/dev/stdout' },
  { verb: 'link', source: '/proc/self/fd/2', target: '/dev/stderr' },
  { verb: 'tmpfs', source: 'mode=1777,size=64m', target: '/dev/shm' },
];

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
    if (folder !== undefined) return [{ verb: mount.readOnly ? 'ro' : 'rw', source: folder, target }];
    const size = volume.emptyDir?.sizeLimit;
    const bytes = size === undefined ? undefined : quantity(size);
    return [{ verb: 'tmpfs', source: `mode=777${bytes ? `,size=${Math.ceil(bytes)}` : ''}`, target }];
  });
  return mounts.sort((left, right) => left.target.length - right.target.length);
}

/** The file's text. Throws on a path that a line cannot hold. */
export const rootSpec = (mounts: readonly Mount[]): string =>
  mounts
    .map(({ verb, source, target }) => {
      if (/[\t\n]/.test(source + target))
        throw new Error(`a path with a tab or newline cannot be mounted: ${target}`);
      return `${verb}\t${source}\t${target.slice(1)}\n`;
    })
    .join('');
