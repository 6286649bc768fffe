import { chmod, copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/**
 * The command as one file and its lazily loaded parts, with the shell programs beside them: they are read with
 * `new URL('./NAME.sh', import.meta.url)`. Dependencies stay where npm put them.
 */
export async function bundleCommand(root: string, folder: string): Promise<void> {
  await build({
    entryPoints: [join(root, 'src/cli/main.ts')],
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    chunkNames: '[name]-[hash]',
    logLevel: 'warning',
  });
  const main = join(folder, 'main.js');
  await writeFile(main, launcher + (await readFile(main, 'utf8')));
  await chmod(main, 0o755);
  await copyFlat(root, folder, await shellPrograms(root));
}

/**
 * To a shell: start Node on this file; to Node: nothing. Without the `--`, Node takes an --env-file behind the
 * script for its own, up to NODE_OPTIONS in it. `env -S` would do, but busybox has none.
 */
const launcher = `#!/bin/sh
':' //; exec node -- "$0" "$@"
`;

/** Relative to src/. */
export async function shellPrograms(root: string): Promise<readonly string[]> {
  const files = await readdir(join(root, 'src'), { recursive: true });
  return files.filter((name) => name.endsWith('.sh'));
}

async function copyFlat(root: string, folder: string, files: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const seen = new Set<string>();
  for (const file of files) {
    const name = basename(file);
    if (seen.has(name))
      throw new Error(`two programs are called ${name}; beside the command they would be one`);
    seen.add(name);
    await copyFile(join(root, 'src', file), join(folder, name));
  }
}
