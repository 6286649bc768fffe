import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ZodType } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { withDeadline } from '../../../base/deadline.ts';
import { badInput, RunnerError } from '../../../base/errors.ts';
import type { ExecSession } from '../../../base/exec-session.ts';
import { errorCodeOf } from '../../../base/system-error.ts';
import { actionName, apiActionOf } from '../../../kube/api-action.ts';
import type { ApiCall, ExecCall, KubeApi, WatchCall, WatchEvent } from '../../../kube/kube-api.ts';
import { parseAnswer } from '../../../kube/parse-answer.ts';
import type { Asked } from '../../../kube/status-error.ts';
import { watchEvents } from '../../../kube/watch-lines.ts';
import {
  execCall,
  type KubectlCall,
  type KubectlScope,
  namespaceCall,
  requestCall,
  watchCall,
} from './kubectl-call.ts';
import { kubectlError } from './kubectl-error.ts';
import { kubectlExecSession } from './kubectl-exec.ts';

export interface KubectlOptions extends KubectlScope {
  /** The program: a path, or a name on PATH. */
  readonly program: string;
  /** Asked of the kubeconfig where it is undefined. */
  readonly namespace: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly trace: (message: string) => void;
}

const requestMs = 30_000;
const longestAnswer = 64 << 20;

/** A cluster through the user's own kubectl, for what only that can authenticate. */
export async function connectByKubectl(options: KubectlOptions): Promise<KubeApi> {
  const runner = new KubectlRunner(options);
  const namespace =
    options.namespace ??
    (await runner.output(namespaceCall(options), readsKubeconfig, { ms: requestMs })).trim();
  return new KubectlApi(options, runner, namespace || 'default');
}

const server = 'the cluster (through kubectl)';
const readsKubeconfig: Asked = { server, action: 'read the kubeconfig', method: 'GET' };

class KubectlApi implements KubeApi {
  readonly server = server;
  readonly namespace: string;
  readonly #scope: KubectlScope;
  readonly #runner: KubectlRunner;

  constructor(scope: KubectlScope, runner: KubectlRunner, namespace: string) {
    this.#scope = scope;
    this.#runner = runner;
    this.namespace = namespace;
  }

  async request<T>(call: ApiCall, schema: ZodType<T>): Promise<T> {
    const asked = {
      server,
      action: actionName(apiActionOf(call.method, call.path), call.path),
      method: call.method,
    };
    const limits = { ms: call.timeoutMs ?? requestMs, signal: call.signal };
    const text = await this.#runner.output(requestCall(this.#scope, call), asked, limits);
    return parseAnswer(text, schema, asked);
  }

  async *watch(call: WatchCall): AsyncGenerator<WatchEvent> {
    const child = this.#runner.start(watchCall(this.#scope, call));
    const stop = (): boolean => child.kill('SIGKILL');
    call.signal.addEventListener('abort', stop, { once: true });
    let words = '';
    child.stderr.on('data', (chunk: Buffer) => {
      words = (words + chunk.toString('latin1')).slice(-4096);
    });
    try {
      child.stdin.end();
      yield* watchEvents(child.stdout);
      const [code] = child.exitCode === null ? await once(child, 'close') : [child.exitCode];
      if (call.signal.aborted || code === 0) return;
      throw kubectlError(words, { server, action: `watch ${call.path}`, method: 'GET' });
    } finally {
      call.signal.removeEventListener('abort', stop);
      stop();
    }
  }

  async exec(call: ExecCall): Promise<ExecSession> {
    call.signal.throwIfAborted();
    const child = this.#runner.start(execCall(this.#scope, call));
    return kubectlExecSession(child, { server, action: `exec in the pod ${call.pod}`, method: 'POST' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#runner[Symbol.asyncDispose]();
  }
}

/** Starts kubectl and sees to it that none outlives us. */
class KubectlRunner implements AsyncDisposable {
  readonly #options: KubectlOptions;
  readonly #children = new Set<ChildProcessWithoutNullStreams>();

  constructor(options: KubectlOptions) {
    this.#options = options;
  }

  start(call: KubectlCall): ChildProcessWithoutNullStreams {
    const { program, environment, trace } = this.#options;
    trace(`${program} ${call.argv.join(' ')}`);
    const child = spawn(program, [...call.argv], { env: environment });
    this.#children.add(child);
    child.once('close', () => this.#children.delete(child));
    child.on('error', () => {}); // 'close' follows
    child.stdin.on('error', () => {});
    return child;
  }

  /** Runs one call to its end and resolves to its standard output. */
  async output(
    call: KubectlCall,
    asked: Asked,
    { ms, signal }: { ms: number; signal?: AbortSignal | undefined },
  ): Promise<string> {
    const child = this.start(call);
    const deadline = { name: `kubectl's answer to "${asked.action}"`, ms };
    try {
      return await withDeadline(this.#options.clock, deadline, signal, () =>
        this.#collected(child, call, asked),
      );
    } finally {
      child.kill('SIGKILL');
    }
  }

  async #collected(child: ChildProcessWithoutNullStreams, call: KubectlCall, asked: Asked): Promise<string> {
    const failed = once(child, 'error').then(([error]) => {
      throw notStarted(this.#options.program, error);
    });
    failed.catch(() => {});
    child.stdin.end(call.body === undefined ? undefined : JSON.stringify(call.body));
    const all = Promise.all([
      text(child.stdout, longestAnswer),
      text(child.stderr, 1 << 16),
      once(child, 'close'),
    ]);
    const [stdout, stderr, [code]] = await Promise.race([all, failed]);
    if (code !== 0) throw kubectlError(stderr, asked);
    return stdout;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    await Promise.all([...this.#children].map((child) => once(child, 'close')));
  }
}

const notStarted = (program: string, error: unknown): RunnerError =>
  errorCodeOf(error) === 'ENOENT'
    ? badInput(
        `there is no ${program} to run; install kubectl, name it with --kubectl, or use --transport api`,
        error,
      )
    : badInput(`${program} cannot be run: ${error instanceof Error ? error.message : String(error)}`, error);

async function text(stream: AsyncIterable<Buffer>, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > limit) throw new RunnerError('ApiRefused', `kubectl answered with more than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
