import { dirname, resolve } from 'node:path';

/** A path in a kubeconfig starts from the folder of the file where it stands. */
export function besideFile(file: string, path: string): string {
  return resolve(dirname(file), path);
}
