import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleCommand } from '../../scripts/bundle-command.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface BuiltCommand extends AsyncDisposable {
  /** The file that node runs. */
  readonly main: string;
}

/** The command as users have it, made from the sources of now. It has to be in the repository to find its packages. */
export async function buildCommand(): Promise<BuiltCommand> {
  const folder = await mkdtemp(join(root, 'node_modules', '.test-cli-'));
  await bundleCommand(root, join(folder, 'dist/bin'));
  await copyFile(join(root, 'package.json'), join(folder, 'package.json'));
  return {
    main: join(folder, 'dist/bin/main.js'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface Running {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** Resolves when standard output or error holds the text, with standard output until then. */
  readonly says: (text: string) => Promise<string>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

export interface Surroundings {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a program with an environment of its own: PATH, and what the test gives. */
export function start(argv: readonly string[], { cwd, env = {} }: Surroundings): Running {
  const [program = '', ...rest] = argv;
  const child = spawn(program, rest, {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  const waiting = new Set<() => void>();
  const wakeAll = (): void => {
    for (const wake of waiting) wake();
  };
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk) && wakeAll());
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk) && wakeAll());
  let isOver = false;
  const ended = once(child, 'close').then(() => {
    isOver = true;
    wakeAll();
    return {
      code: child.exitCode,
      stdout: Buffer.concat(stdout),
      stderr: Buffer.concat(stderr).toString('utf8'),
    };
  });
  return {
    pid: child.pid ?? 0,
    ended,
    kill: (signal) => void child.kill(signal),
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const heard = Buffer.concat([...stdout, ...stderr]).toString('utf8');
          const isHeard = heard.includes(text);
          if (!isHeard && !isOver) return;
          waiting.delete(look);
          if (isHeard) resolve(Buffer.concat(stdout).toString('utf8'));
          else reject(new Error(`ended without ${JSON.stringify(text)}: ${heard}`));
        };
        waiting.add(look);
        look();
      }),
  };
}
