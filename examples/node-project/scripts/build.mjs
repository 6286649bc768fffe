// Copies the modules of src/ to dist/ and lists them in a manifest with the version.
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';

const { version } = JSON.parse(await readFile('package.json', 'utf8'));
await rm('dist', { recursive: true, force: true });
await mkdir('dist');
await cp('src', 'dist', { recursive: true });
const files = (await readdir('dist')).sort();
await writeFile('dist/manifest.json', `${JSON.stringify({ version, files }, null, 2)}\n`);
console.log(`dist/ holds ${files.length} files of version ${version}`);
