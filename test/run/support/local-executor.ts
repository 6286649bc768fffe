import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { RunnerError } from '../../../src/base/errors.ts';
import type {
  Closed,
  Executor,
  IncomingArchive,
  Observer,
  OpenRequest,
  OutgoingArchive,
  Place,
  Sandbox,
  StepControl,
  StepOutput,
  StepRequest,
  StepUsage,
  StepVerdict,
  TransferObserver,
} from '../../../src/executor/executor.ts';

const lastEntry = '.last-entry';

/** Called ahead of the real thing; throws to inject a failure, or waits. */
export interface Interventions {
  open?: (observer: Observer, signal: AbortSignal) => void | Promise<void>;
  send?: (signal: AbortSignal) => void | Promise<void>;
  step?: (step: StepRequest, control: StepControl) => void | Promise<void>;
  /** Changes what a step came to; throws for trouble after its output. */
  verdict?: (step: StepRequest, verdict: StepVerdict) => StepVerdict;
  fetch?: (signal: AbortSignal) => void | Promise<void>;
  fetched?: (archive: IncomingArchive) => IncomingArchive;
  close?: (signal: AbortSignal) => Closed | undefined | Promise<Closed | undefined>;
}

/** The contract on this machine: one temporary folder a run, one `sh -e` a step. No isolation: tests only. */
export class LocalExecutor implements Executor {
  readonly calls: string[] = [];
  readonly requests: OpenRequest[] = [];
  readonly steps: StepRequest[] = [];
  readonly #interventions: Interventions;

  constructor(interventions: Interventions = {}) {
    this.#interventions = interventions;
  }

  async open(request: OpenRequest, observer: Observer, signal: AbortSignal): Promise<Sandbox> {
    this.calls.push('open');
    this.requests.push(request);
    signal.throwIfAborted();
    await this.#interventions.open?.(observer, signal);
    const root = mkdtempSync(join(tmpdir(), 'knotless-local-'));
    for (const folder of ['work', 'steps', 'outputs']) {
      mkdirSync(join(root, folder));
    }
    const place: Place = {
      kind: 'job',
      namespace: 'local',
      name: `job-${request.run.id.slice(0, 8)}`,
      uid: `uid-${request.run.id}`,
      pod: 'pod-1',
      node: 'here',
    };
    observer.place(place);
    observer.warning('nothing is isolated here');
    return new LocalSandbox(this, this.#interventions, { root, place, request });
  }

  /** Its places end with their steps' pipes; `PodExecutor` has some that last. */
  async adopt(): Promise<Sandbox> {
    throw new RunnerError('NotFound', 'nothing lasts here');
  }
}

interface SandboxParts {
  readonly root: string;
  readonly place: Place;
  readonly request: OpenRequest;
}

class LocalSandbox implements Sandbox {
  readonly place: Place;
  readonly #executor: LocalExecutor;
  readonly #interventions: Interventions;
  readonly #root: string;
  readonly #request: OpenRequest;

  constructor(executor: LocalExecutor, interventions: Interventions, parts: SandboxParts) {
    this.#executor = executor;
    this.#interventions = interventions;
    this.place = parts.place;
    this.#root = parts.root;
    this.#request = parts.request;
  }

  async send(archive: OutgoingArchive, transfer: TransferObserver, signal: AbortSignal): Promise<void> {
    this.#executor.calls.push('send');
    await this.#interventions.send?.(signal);
    const last = { name: lastEntry, content: 'end' };
    const total = await archive.size(last);
    const tar = spawn('tar', ['-x', '-C', this.#root], { stdio: ['pipe', 'ignore', 'inherit'] });
    let bytes = 0;
    for await (const chunk of archive.open(last)) {
      signal.throwIfAborted();
      if (!tar.stdin.write(chunk)) {
        await once(tar.stdin, 'drain');
      }
      bytes += chunk.length;
      transfer.progress(bytes, total);
    }
    tar.stdin.end();
    await exitOf(tar);
    rmSync(join(this.#root, lastEntry));
  }

  async runStep(step: StepRequest, output: StepOutput, control: StepControl): Promise<StepVerdict> {
    this.#executor.calls.push(`step ${step.name}`);
    this.#executor.steps.push(step);
    const aborted = new Promise<never>((_, reject) => {
      control.abandon.addEventListener('abort', () => reject(control.abandon.reason), { once: true });
    });
    aborted.catch(() => {});
    await Promise.race([this.#interventions.step?.(step, control), aborted]);
    const verdict = await Promise.race([this.#execute(step, output, control), aborted]);
    return this.#interventions.verdict?.(step, verdict) ?? verdict;
  }

  async #execute(step: StepRequest, output: StepOutput, control: StepControl): Promise<StepVerdict> {
    const script = join(this.#root, `script-${step.index}`);
    writeFileSync(script, step.command);
    const child = spawn('sh', ['-c', 'exec sh -e "$0" 2>&1', script], {
      cwd: join(this.#root, 'work'),
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env.PATH, ...step.environment, ...step.secrets, ROOT: this.#root },
    });
    const ended = exitOf(child);
    let signal: 'TERM' | 'KILL' | null = null;
    let timer: NodeJS.Timeout | undefined;
    const stop = (): void => {
      signal = 'TERM';
      killGroup(child, 'SIGTERM');
      timer = setTimeout(() => {
        signal = 'KILL';
        killGroup(child, 'SIGKILL');
      }, this.#request.limits.graceMs);
    };
    if (control.stop.aborted) stop();
    control.stop.addEventListener('abort', stop, { once: true });
    control.abandon.addEventListener('abort', () => killGroup(child, 'SIGKILL'), { once: true });
    for await (const chunk of child.stdout) {
      await output(chunk);
    }
    const exitCode = await ended;
    clearTimeout(timer);
    control.stop.removeEventListener('abort', stop);
    return signal === null
      ? { kind: 'exited', exitCode, usage }
      : { kind: 'stopped', signal, exitCode, usage };
  }

  async fetch(
    paths: readonly string[],
    transfer: TransferObserver,
    signal: AbortSignal,
  ): Promise<IncomingArchive> {
    this.#executor.calls.push(`fetch ${paths.join(' ')}`);
    await this.#interventions.fetch?.(signal);
    writeFileSync(join(this.#root, lastEntry), 'end');
    const names = paths.map((path) => path.slice(1));
    const listed = spawn('sh', ['-c', 'for p; do [ -e "$p" ] || echo "$p"; done', 'sh', ...names], {
      cwd: this.#root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const missing = (await textOf(listed.stdout)).split('\n').filter((name) => name !== '');
    const present = names.filter((name) => !missing.includes(name));
    const tar = spawn('tar', ['-c', '-C', this.#root, ...present, lastEntry], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const archive: IncomingArchive = {
      bytes: counted(tar.stdout, transfer),
      lastEntry,
      outcome: exitOf(tar).then((code) => ({
        missing: missing.map((name) => `/${name}`),
        warnings: [],
        failure: code === 0 ? null : `tar ended with ${code}`,
      })),
    };
    return this.#interventions.fetched?.(archive) ?? archive;
  }

  async close(signal: AbortSignal): Promise<Closed> {
    this.#executor.calls.push('close');
    rmSync(this.#root, { recursive: true, force: true }); // first, so that nothing stays after a test
    const instead = await this.#interventions.close?.(signal);
    const kept = this.#request.keep;
    return instead ?? { deleted: !kept, kept, leftover: kept ? 'the Job stays for 1 h' : null };
  }
}

const usage: StepUsage = { cpuMs: 3, peakMemoryBytes: 4096, oomKilled: false };

async function* counted(stream: Readable, transfer: TransferObserver): AsyncIterable<Uint8Array> {
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    transfer.progress(bytes, null);
    yield chunk;
  }
}

async function textOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

async function exitOf(child: ChildProcess & { stdin: Writable | null }): Promise<number> {
  const [code, signal]: [number | null, NodeJS.Signals | null] = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, exitSignal) => resolve([exitCode, exitSignal]));
  });
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) {
      process.kill(-child.pid, signal);
    }
  } catch {
    // it has ended already
  }
}
