import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Sample } from './report.ts';

export interface ChildOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly stdin?: 'pipe' | 'ignore';
  /** `drain`: read here and thrown away. */
  readonly stdout?: 'pipe' | 'ignore';
  readonly signal: AbortSignal;
}

/** Runs a program and, when it has ended, its and its children's CPU time as the shell's `times` tells it. */
const counting = '"$@" 3>&-; code=$?; times >&3; exit "$code"';
const pollMs = 25;

/** A program under the eyes of this one. */
export class Child {
  readonly process: ChildProcess;
  /** Rejects where the program ended with anything but 0. */
  readonly ended: Promise<Sample>;

  constructor(
    argv: readonly string[],
    { environment = {}, stdin = 'ignore', stdout = 'ignore', signal }: ChildOptions,
  ) {
    const began = performance.now();
    this.process = spawn('sh', ['-c', counting, 'sh', ...argv], {
      stdio: [stdin, stdout, 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
      signal,
    });
    this.ended = this.#watch(began, argv.join(' '));
    this.ended.catch(() => {});
  }

  async #watch(began: number, name: string): Promise<Sample> {
    const { process: child } = this;
    const words = child.stderr ? text(child.stderr) : '';
    const times = child.stdio[3] && 'readable' in child.stdio[3] ? text(child.stdio[3]) : '';
    let peakBytes = 0;
    let reading = Promise.resolve();
    const poll = setInterval(() => {
      reading = reading.then(async () => {
        peakBytes = Math.max(peakBytes, await peakOfTree(child.pid ?? 0));
      });
    }, pollMs);
    try {
      const [code] = await once(child, 'close');
      const ms = performance.now() - began;
      if (code !== 0)
        throw new Error(`${name.slice(0, 200)}: ended with ${code}: ${(await words).slice(-500)}`);
      await reading;
      return { ms, cpuMs: cpuOf(await times), ...(peakBytes > 0 ? { peakBytes } : {}) };
    } finally {
      clearInterval(poll);
    }
  }
}

export const runChild = (argv: readonly string[], options: ChildOptions): Promise<Sample> =>
  new Child(argv, options).ended;

/** The child's stdin, which must have been asked for. */
export function stdinOf({ process: { stdin } }: Child): Writable {
  if (!stdin) throw new Error('this child has no stdin');
  return stdin;
}

/** Reads what `times` prints: the shell's own user and system time, then its children's: `0m1.230s 0m0.040s`. */
export function cpuOf(times: string): number {
  const fields = [...times.matchAll(/(\d+)m([\d.]+)s/g)].slice(2);
  return fields.reduce(
    (sum, [, minutes = '0', seconds = '0']) => sum + Number(minutes) * 60_000 + Number(seconds) * 1000,
    0,
  );
}

/** The most that any one process of the tree has had resident, in bytes; 0 where the system does not tell. */
async function peakOfTree(pid: number): Promise<number> {
  try {
    const [status, children] = await Promise.all([
      readFile(`/proc/${pid}/status`, 'utf8'),
      readFile(`/proc/${pid}/task/${pid}/children`, 'utf8'),
    ]);
    const own = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
    const peaks = await Promise.all(
      children
        .split(' ')
        .filter(Boolean)
        .map((child) => peakOfTree(Number(child))),
    );
    return Math.max(own, ...peaks);
  } catch {
    return 0; // it has just ended
  }
}
