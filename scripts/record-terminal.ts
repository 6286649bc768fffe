// Makes docs/terminal.svg from a real run: `npm run build && node scripts/run-ts.mjs scripts/record-terminal.ts`.
// Needs what --embedded needs, and script(1) for a terminal.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { picture } from './terminal-picture.ts';
import { TerminalScreen } from './terminal-screen.ts';

const columns = 100;
const root = fileURLToPath(new URL('..', import.meta.url));
const flags =
  'run --embedded --name demo --workdir examples \\\n    --steps-file examples/steps.tsv --outputs out --result result.json';

const folder = await mkdtemp(join(tmpdir(), 'knotless-recording-'));
try {
  await cp(join(root, 'examples'), join(folder, 'examples'), { recursive: true });
  const command = `stty cols ${columns} rows 50 && '${process.execPath}' '${join(root, 'dist/bin/main.js')}' ${flags}`;
  const { NO_COLOR: _, ...environment } = process.env;
  const { stdout } = await promisify(execFile)('script', ['-qefc', command, '/dev/null'], {
    cwd: folder,
    env: { ...environment, TERM: 'xterm-256color', SHELL: '/bin/sh' },
    encoding: 'utf8',
  });
  const screen = new TerminalScreen(columns);
  screen.write(`\x1b[1m$\x1b[22m knotless-runner-k8s ${flags}\n`.replaceAll('\n', '\r\n'));
  screen.write(stdout);
  const title = 'A run of examples/steps.tsv on the embedded cluster';
  await writeFile(join(root, 'docs/terminal.svg'), picture(screen.rows(), columns, title));
} finally {
  await rm(folder, { recursive: true, force: true });
}
