import { randomFillSync } from 'node:crypto';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Files to send and to fetch. */
export interface FileSet {
  /** In rows and for `--only`: `up-2000`. */
  readonly id: string;
  readonly title: string;
  readonly files: number;
  readonly bytesEach: number;
}

const smallBytes = 2_000;
const filesInFolder = 200;

export const fileSets: readonly FileSet[] = [
  { id: '200mb', title: 'one file of 200 MB', files: 1, bytesEach: 200_000_000 },
  { id: '2000', title: '2,000 files of 2 kB', files: 2_000, bytesEach: smallBytes },
  { id: '20000', title: '20,000 files of 2 kB', files: 20_000, bytesEach: smallBytes },
];

/** Random bytes, which no compression makes less of. */
export async function writeFileSet({ files, bytesEach }: FileSet, folder: string): Promise<void> {
  const bytes = Buffer.alloc(bytesEach);
  for (let index = 0; index < files; index++) {
    const parent = join(folder, `folder-${Math.floor(index / filesInFolder)}`);
    if (index % filesInFolder === 0) await mkdir(parent, { recursive: true });
    randomFillSync(bytes);
    await writeFile(join(parent, `file-${index}`), bytes);
  }
}

/** Throws where not all of it is there, by count and size. */
export async function checkFileSet({ files, bytesEach }: FileSet, folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  let bytes = 0;
  for (const name of names) bytes += (await stat(name)).size;
  if (names.length !== files || bytes !== files * bytesEach) {
    throw new Error(
      `${names.length} files of ${bytes} bytes came instead of ${files} of ${files * bytesEach}`,
    );
  }
}

/** The same in a pod: a shell program that ends with 0 where all of it is there. */
export const checkInPod = ({ files, bytesEach }: FileSet, folder: string): string =>
  `[ "$(find ${folder} -type f | wc -l)" -eq ${files} ] && ` +
  `[ "$(find ${folder} -type f -exec cat {} + | wc -c)" -eq ${files * bytesEach} ]`;
