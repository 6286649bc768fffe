import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

const manifest = z
  .object({ version: z.string(), devDependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));

let folder: string;
let command: string;

/** Packs the package, which builds it, and installs the tarball in an empty folder. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'knotless-package-'));
  const packed = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root });
  const json = packed.stdout.slice(packed.stdout.indexOf('[\n'));
  const [tarball] = z.array(z.object({ filename: z.string() })).parse(JSON.parse(json));
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'user', private: true, type: 'module' }),
  );
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'];
  const nodeTypes = `@types/node@${manifest.devDependencies['@types/node']}`;
  await run('npm', ['install', ...flags, `./${tarball?.filename}`, nodeTypes], { cwd: folder });
  command = join(folder, 'node_modules/.bin/knotless-runner-k8s');
  await cp(join(root, 'examples'), join(folder, 'examples'), { recursive: true });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

it('prints its help and its version', async () => {
  expect((await run(command, ['--help'], { cwd: folder })).stdout).toContain('Usage: knotless-runner-k8s');
  expect((await run(command, ['--version'], { cwd: folder })).stdout).toBe(`${manifest.version}\n`);
});

const demo = ['run', '--name', 'demo', '--workdir', 'examples', '--steps-file', 'examples/steps.tsv'];

it('prints a dry run', async () => {
  const { stdout } = await run(command, [...demo, '--outputs', 'out', '--dry-run'], { cwd: folder });
  expect(stdout).toContain('kind: Job');
});

it('runs the example on an embedded cluster', async () => {
  const flags = ['--embedded', '--outputs', 'out', '--result', 'result.json'];
  await run(command, [...demo, ...flags], { cwd: folder });
  expect(await readFile(join(folder, 'out/report.txt'), 'utf8')).toContain('lines: ');
  const result: unknown = JSON.parse(await readFile(join(folder, 'result.json'), 'utf8'));
  expect(result).toMatchObject({ status: 'success', job: { deleted: true } });
});

it('brings its schemas', async () => {
  for (const name of ['workflow', 'result', 'events']) {
    const file = join(folder, `node_modules/knotless-runner-k8s/schema/${name}.schema.json`);
    expect(JSON.parse(await readFile(file, 'utf8'))).toHaveProperty('$schema');
  }
});

it('is a library with types of its own, that a strict TypeScript program compiles against and runs', async () => {
  await mkdir(join(folder, 'program'));
  await cp(join(root, 'test/package/program'), join(folder, 'program'), { recursive: true });
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const checked = await run(process.execPath, [tsc, '-p', join(folder, 'program')], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  expect(checked.stdout).toBe('');
  const { stdout } = await run(process.execPath, [join(folder, 'program/main.js')], { cwd: folder });
  expect(stdout).toBe('success: one\n');
});
