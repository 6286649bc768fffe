import { type ChildProcessWithoutNullStreams, type SpawnOptions, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { bundleCommand } from '../../../scripts/bundle-command.ts';
import { assemble } from '../servers/assemble.ts';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Runs it at a terminal, and types an answer to each question that ends in a colon. */
  readonly answers?: readonly string[];
  /** Hears what is told on standard error so far, each time that there is more. */
  readonly onTold?: (stderr: string) => void;
}

/** The command as it is published, and a user with an empty home folder who calls it there. */
export interface Product extends AsyncDisposable {
  readonly home: string;
  readonly call: (args: readonly string[], options?: CommandOptions) => Promise<Ended>;
  /** All that the command printed so far. */
  readonly told: () => string;
}

const repository = fileURLToPath(new URL('../../..', import.meta.url));

export const buildProduct = (): Promise<Product> =>
  assemble(async (ends) => {
    const home = await mkdtemp(join(tmpdir(), 'tenant-home-'));
    ends.add(() => rm(home, { recursive: true, force: true }));
    // Inside node_modules, so that its packages are found from there.
    const bin = await mkdtemp(join(repository, 'node_modules/.tenant-'));
    ends.add(() => rm(bin, { recursive: true, force: true }));
    await bundleCommand(repository, bin);
    const told: string[] = [];
    const running = new Set<ChildProcessWithoutNullStreams>();
    ends.add(async () => {
      for (const child of running) child.kill();
    });
    const call: Product['call'] = async (args, { environment, answers, onTold } = {}) => {
      const child = start(join(bin, 'main.js'), args, answers !== undefined, {
        cwd: home,
        env: { PATH: process.env.PATH, HOME: home, NO_COLOR: '1', ...environment },
      });
      running.add(child);
      child.once('close', () => running.delete(child));
      const code = new Promise<number | null>((resolve) => child.once('close', resolve));
      const [stdout, stderr] = await Promise.all([
        collect(child.stdout, answering(child.stdin, answers ?? [])),
        collect(child.stderr, onTold),
      ]);
      told.push(stdout, stderr);
      return { code: await code, stdout, stderr };
    };
    return { home, call, told: () => told.join('\n') };
  });

/** At a terminal both streams come out as one. */
function start(
  program: string,
  args: readonly string[],
  terminal: boolean,
  options: Pick<SpawnOptions, 'cwd' | 'env'>,
): ChildProcessWithoutNullStreams {
  if (!terminal) return spawn(program, args, { ...options, stdio: 'pipe' });
  const line = [program, ...args].map((word) => `'${word}'`).join(' ');
  return spawn('script', ['-qefc', line, '/dev/null'], { ...options, stdio: 'pipe' });
}

function answering(terminal: Writable, answers: readonly string[]): (told: string) => void {
  const left = [...answers];
  if (left.length === 0) terminal.end();
  return (told) => {
    if (!told.endsWith(': ')) return;
    const answer = left.shift();
    if (answer !== undefined) terminal.write(`${answer}\n`);
  };
}

async function collect(stream: Readable, onMore: (text: string) => void = () => {}): Promise<string> {
  let text = '';
  for await (const part of stream.setEncoding('utf8')) {
    text += String(part);
    onMore(text);
  }
  return text;
}
