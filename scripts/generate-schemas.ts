// Writes the published JSON Schemas; with --check it only tells whether they are up to date.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { schemaFiles, staleSchemas } from './published-schemas.ts';

if (process.argv.includes('--check')) {
  const stale = await staleSchemas('.');
  if (stale.length > 0) {
    console.error(`out of date: ${stale.join(', ')}; run npm run schemas`);
    process.exitCode = 1;
  }
} else {
  for (const [path, content] of schemaFiles()) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
}
