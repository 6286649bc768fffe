import type { ExecSession } from '../../base/exec-session.ts';
import { openPatiently, type ReachedPort } from './pod-port.ts';
import { execOf } from './programs.ts';

/** One is not enough where a step is over before the exec of the next has come up. */
const mostAhead = 2;

/** Opens the execs of the next steps while the current one runs, which makes their start several times faster. */
export class StepExecs implements Disposable {
  readonly #port: ReachedPort;
  readonly #end = new AbortController();
  readonly #ahead: Promise<ExecSession | undefined>[] = [];

  constructor(port: ReachedPort) {
    this.#port = port;
  }

  /** Sees to it that so many stand ready, within bounds. */
  prepare(count: number): void {
    while (this.#ahead.length < Math.min(count, mostAhead)) {
      this.#ahead.push(this.#port.exec(execOf('step'), this.#end.signal).catch(() => undefined));
    }
  }

  /** The one that was opened first if it still stands, else a new one. */
  async take(signal: AbortSignal): Promise<ExecSession> {
    const ahead = await this.#ahead.shift();
    if (ahead && !ahead.stdout.readableEnded && !ahead.stdout.destroyed) return ahead;
    ahead?.close();
    return openPatiently(this.#port, 'step', signal);
  }

  [Symbol.dispose](): void {
    this.#end.abort(new Error('the sandbox is closed'));
    for (const ahead of this.#ahead) ahead.then((session) => session?.close()).catch(() => {});
  }
}
