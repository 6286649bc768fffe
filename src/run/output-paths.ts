import { posix } from 'node:path';
import { badInput } from '../base/errors.ts';

const outputsFolder = '/outputs';

/** What is fetched: `/outputs` and the collected paths, none of them inside another. */
export function outputPaths(collect: readonly string[]): string[] {
  const paths = [...new Set([outputsFolder, ...collect.map(checkedPath)])];
  return paths.filter((path) => !paths.some((other) => path.startsWith(`${other}/`)));
}

/** Rejects what cannot be collected with BadInput; takes a trailing slash away. */
function checkedPath(path: string): string {
  const normal = posix.normalize(path).replace(/\/$/, '');
  if (!path.startsWith('/') || normal === '' || path.includes('\0') || path.split('/').includes('..')) {
    throw badInput(
      `${JSON.stringify(path)} cannot be collected: name an absolute path in the pod, such as /work/dist`,
    );
  }
  return normal;
}

/** Where an archive's entry lands in the outputs folder: `outputs/x` at `x`, `work/dist/y` where it says. */
export function placeOfOutput(name: string): string {
  return name === 'outputs' ? '' : name.startsWith('outputs/') ? name.slice('outputs/'.length) : name;
}
