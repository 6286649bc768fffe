import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (...parts: string[]): string => join(root, ...parts);
const run = promisify(execFile);

try {
  await rm(at('dist'), { recursive: true, force: true });
  await Promise.all([bundleCommand(), copyPrograms(), compileLibrary()]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function compileLibrary(): Promise<void> {
  try {
    await run(process.execPath, [at('node_modules/typescript/bin/tsc'), '-p', at('tsconfig.build.json')]);
  } catch (error) {
    // tsc tells its errors on standard output
    throw new Error(error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error));
  }
}

async function bundleCommand(): Promise<void> {
  await build({
    entryPoints: [at('src/cli/main.ts')],
    outdir: at('dist/bin'),
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    chunkNames: '[name]-[hash]',
    logLevel: 'warning',
  });
  await chmod(at('dist/bin/main.js'), 0o755);
}

/** The shell programs are read with `new URL('./NAME.sh', import.meta.url)`: from the module, or from a chunk. */
async function copyPrograms(): Promise<void> {
  const files = await readdir(at('src'), { recursive: true });
  const seen = new Set<string>();
  for (const file of files.filter((name) => name.endsWith('.sh'))) {
    const name = basename(file);
    if (seen.has(name)) throw new Error(`two programs are called ${name}; in dist/bin they would be one`);
    seen.add(name);
    for (const target of [at('dist', file), at('dist/bin', name)]) {
      await mkdir(dirname(target), { recursive: true });
      await copyFile(at('src', file), target);
    }
  }
  console.log(`built ${relative(process.cwd(), at('dist')) || '.'} (${seen.size} shell programs)`);
}
