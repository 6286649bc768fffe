import { endOfArchive } from '../../archive/tar-format.ts';
import { entryHeader } from '../../archive/tar-writer.ts';

/** A pod's volumes are these; here they are of the container's own disk, and go with it. */
const folders: readonly { readonly name: string; readonly mode: number }[] = [
  { name: 'work/', mode: 0o777 },
  { name: 'steps/', mode: 0o777 },
  { name: 'outputs/', mode: 0o777 },
  { name: 'tmp/', mode: 0o1777 },
  { name: '.knotless-log/', mode: 0o777 },
];

/** The folders of a run that any uid can write to, as an archive to be unpacked at `/`. */
export function runFolders(mtime: number): Buffer {
  const entries = folders.map((folder) =>
    entryHeader({ ...folder, type: 'folder', mtime, size: 0, target: '' }),
  );
  return Buffer.concat([...entries, endOfArchive]);
}

export const folderNames: readonly string[] = folders.map(({ name }) => name);
