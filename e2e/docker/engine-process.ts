import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';

/** An engine whose parent dies goes too. */
const dieWithParent = ['--pdeathsig', 'TERM'];

export interface EngineCommand {
  readonly argv: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Where it is started: conmon leaves a file there. */
  readonly folder: string;
  /** Where what it says goes, also from an earlier start. */
  readonly log: string;
  /** Whether it answers. */
  readonly answers: () => Promise<boolean>;
}

const upMs = 60_000;
const downMs = 60_000;

/** The process of an engine. */
export class EngineProcess {
  readonly #command: EngineCommand;
  #child: ChildProcess | undefined;

  constructor(command: EngineCommand) {
    this.#command = command;
  }

  /** Resolves when it answers; rejects with what it said where it ends before. */
  async start(): Promise<void> {
    const { argv, environment, folder, log, answers } = this.#command;
    await using output = await open(log, 'a');
    const child = spawn('setpriv', [...dieWithParent, '--', ...argv], {
      cwd: folder,
      stdio: ['ignore', output.fd, output.fd],
      env: { ...process.env, ...environment },
    });
    this.#child = child;
    const until = performance.now() + upMs;
    while (!(await answers())) {
      if (child.exitCode !== null) throw new Error(`${argv[0]} ended: ${await lastWords(log)}`);
      if (performance.now() > until) throw new Error(`${argv[0]} does not answer: ${await lastWords(log)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit', { signal: AbortSignal.timeout(downMs) });
    child.kill('SIGTERM');
    await ended;
  }
}

const lastWords = async (log: string): Promise<string> => (await readFile(log, 'utf8')).slice(-2000);
