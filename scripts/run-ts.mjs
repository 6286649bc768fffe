// Runs a TypeScript file of this repository on a Node that cannot (20): `node scripts/run-ts.mjs FILE [ARGUMENT…]`.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const [file, ...rest] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: node scripts/run-ts.mjs FILE [ARGUMENT…]');

const root = fileURLToPath(new URL('..', import.meta.url));
// Inside node_modules, so that packages are found from there.
const folder = await mkdtemp(join(root, 'node_modules', '.run-ts-'));
try {
  const outfile = join(folder, 'script.mjs');
  await build({
    entryPoints: [resolve(file)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    sourcemap: 'inline',
    plugins: [{ name: 'own-urls', setup: keepOwnUrls }],
  });
  process.argv = [process.execPath, resolve(file), ...rest];
  await import(pathToFileURL(outfile).href);
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Code that reads the file beside it must still find it, though it runs from the bundle. */
function keepOwnUrls(builder) {
  builder.onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
    contents: (await readFile(path, 'utf8')).replaceAll(
      'import.meta.url',
      JSON.stringify(pathToFileURL(path).href),
    ),
    loader: 'ts',
  }));
}
