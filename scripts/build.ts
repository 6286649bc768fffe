import { execFile } from 'node:child_process';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleCommand, shellPrograms } from './bundle-command.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (...parts: string[]): string => join(root, ...parts);

try {
  await rm(at('dist'), { recursive: true, force: true });
  await Promise.all([bundleCommand(root, at('dist/bin')), copyLibraryPrograms(), compileLibrary()]);
  console.log('built dist');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function compileLibrary(): Promise<void> {
  const arguments_ = [at('node_modules/typescript/bin/tsc'), '-p', at('tsconfig.build.json')];
  await promisify(execFile)(process.execPath, arguments_).catch((error: Error) => {
    // tsc tells its errors on standard output
    throw new Error('stdout' in error ? String(error.stdout) : error.message);
  });
}

async function copyLibraryPrograms(): Promise<void> {
  for (const file of await shellPrograms(root)) {
    await mkdir(dirname(at('dist', file)), { recursive: true });
    await copyFile(at('src', file), at('dist', file));
  }
}
