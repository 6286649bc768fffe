import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The main job on an embedded cluster, for somebody who has just cloned this repository. */
const root = fileURLToPath(new URL('..', import.meta.url));

function run(program: string, argv: readonly string[]): boolean {
  return spawnSync(program, argv, { cwd: root, stdio: 'inherit' }).status === 0;
}

const command = 'dist/bin/main.js';
const flags = [
  ...['run', '--embedded', '--name', 'demo', '--runner', 'did:plc:demo'],
  ...['--workdir', 'examples', '--steps-file', 'examples/steps.tsv'],
  ...[
    '--outputs',
    'demo-result/outputs',
    '--log',
    'demo-result/run.log',
    '--result',
    'demo-result/result.json',
  ],
];

await rm(`${root}/demo-result`, { recursive: true, force: true });
const isBuilt = run('npm', ['run', '--silent', 'build']);
console.log(`\n$ knotless-runner-k8s ${flags.join(' ')}\n`);
if (isBuilt && run(process.execPath, [command, ...flags])) {
  console.log('\nThe result is in demo-result/result.json, the outputs are in demo-result/outputs.');
} else {
  process.exitCode = 1;
}
