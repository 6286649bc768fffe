import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { RunnerError } from '../../src/base/errors.ts';
import type { ExecSession } from '../../src/base/exec-session.ts';
import { type PodPort, randomNonce } from '../../src/executor/step-protocol/pod-port.ts';
import type { PodSessionOptions } from '../../src/executor/step-protocol/pod-session.ts';
import { bootScript } from '../../src/executor/step-protocol/programs.ts';

export type Shell = 'busybox' | 'dash' | 'bash';
export const shells: readonly Shell[] = ['busybox', 'dash', 'bash'];

/** Of a test file's sessions: local pods see each other's processes, which are told apart by the run. */
export const sessionOptions: PodSessionOptions = {
  runId: randomUUID(),
  graceMs: 1000,
  compress: 'none',
  isNear: true,
  isUsed: false,
  unreachable: () => {},
};

export interface LocalPodOptions {
  readonly shell: Shell;
  /** Tools that this image lacks, or has in a version of its own (a script). */
  readonly without?: readonly string[];
  readonly instead?: Readonly<Record<string, string>>;
  readonly orphanSeconds?: number;
  /** The longest file that a process may write, in blocks of 512 bytes: a disk that is full. */
  readonly longestFile?: number;
  /** Stands between the protocol and each exec, to break it. */
  readonly road?: (session: ExecSession, program: string) => ExecSession;
}

/** A folder that stands for a pod's root, its process 1, and execs: real processes of a real shell. */
export class LocalPod implements AsyncDisposable {
  readonly root: string;
  readonly boot: ChildProcess;
  readonly sessions: ExecSession[] = [];
  readonly warnings: string[] = [];
  readonly lost = new AbortController();
  readonly #environment: Record<string, string>;
  readonly #limits: string;
  readonly #road: (session: ExecSession, program: string) => ExecSession;
  readonly #shell: string;

  private constructor(root: string, options: LocalPodOptions) {
    this.root = root;
    this.#limits = options.longestFile === undefined ? '' : `ulimit -f ${options.longestFile}; `;
    this.#road = options.road ?? ((session) => session);
    for (const folder of ['work', 'steps', 'outputs', 'tmp', '.knotless', '.knotless-log', 'bin']) {
      mkdirSync(join(root, folder));
    }
    const bin = join(root, 'bin');
    fillTools(bin, options);
    this.#shell = join(bin, 'sh');
    this.#environment = { PATH: bin, HOME: '/nonexistent' };
    const arguments_ = ['-c', bootScript(), 'knotless', String(options.orphanSeconds ?? 600), root];
    this.boot = spawn(this.#shell, arguments_, {
      env: this.#environment,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }

  static async start(options: LocalPodOptions): Promise<LocalPod> {
    return new LocalPod(mkdtempSync(join(tmpdir(), 'local-pod-')), options);
  }

  get port(): PodPort {
    return {
      exec: async (argv) => this.#road(this.exec(argv), basename(argv[1] ?? '')),
      lost: this.lost.signal,
      clock: systemClock(),
      nonce: randomNonce,
      trace: () => {},
      warn: (message) => this.warnings.push(message),
      patienceMs: 20_000,
    };
  }

  exec(argv: readonly string[]): ExecSession {
    const [, program = '', ...rest] = argv;
    const child = spawn(
      this.#shell,
      ['-c', `${this.#limits}exec "$0" "$@"`, this.#shell, join(this.root, program), ...rest],
      {
        env: this.#environment,
        detached: true,
      },
    );
    const session: ExecSession = {
      stdin: child.stdin,
      stdout: child.stdout,
      stderr: child.stderr,
      canEndStdin: true,
      exit: once(child, 'close').then(([code]) => {
        if (typeof code !== 'number')
          throw new RunnerError('ConnectionLost', 'ended by a signal', { retry: true });
        return { exitCode: code };
      }),
      close: () => {
        for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      },
      [Symbol.asyncDispose]: async () => session.close(),
    };
    session.exit.catch(() => {});
    this.sessions.push(session);
    return session;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.sessions) session.close();
    for (const pid of this.processes()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // ended by itself meanwhile
      }
    }
    if (this.boot.exitCode === null && this.boot.signalCode === null) {
      this.boot.kill('SIGKILL');
      await once(this.boot, 'exit');
    }
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Every process whose environment is this pod's: its PATH names the root. */
  processes(): number[] {
    // its status tells of processes that ended meanwhile, which is none of its findings' fault
    const { stdout } = spawnSync('grep', ['-lFs', `PATH=${this.root}/bin`, ...environs()], {
      encoding: 'utf8',
    });
    return [...stdout.matchAll(/\d+/g)].map(([pid]) => Number(pid));
  }
}

const environs = (): string[] =>
  readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [`/proc/${name}/environ`] : []));

const tools =
  'cat dd head rm sleep tail tar gzip grep mkdir mkfifo setsid seq sort ls env id ps kill touch wc tr date stat';

function fillTools(bin: string, { shell, without = [], instead = {} }: LocalPodOptions): void {
  const busybox = '/bin/busybox';
  if (shell === 'busybox' && !existsSync(busybox)) throw new Error('this test needs busybox-static');
  symlinkSync(shell === 'busybox' ? busybox : `/bin/${shell}`, join(bin, 'sh'));
  for (const tool of tools.split(' ')) {
    if (without.includes(tool)) continue;
    const own = instead[tool];
    if (own !== undefined) {
      writeFileSync(join(bin, tool), own);
      chmodSync(join(bin, tool), 0o755);
      continue;
    }
    const target =
      shell === 'busybox' ? busybox : ['/usr/bin', '/bin'].map((dir) => join(dir, tool)).find(existsSync);
    if (target) symlinkSync(target, join(bin, tool));
  }
}
