import { openLasting, type ReachedPort } from './pod-port.ts';
import { execOf } from './programs.ts';
import { StepExec } from './step-exec.ts';

/** How long the program may take to be ready again. A step that left something running can hold it for seconds. */
const readyAgainMs = 100;

/** Has an exec ready for the next step: opened while the checkout is on its way, or used by the step before. */
export class StepExecs implements Disposable {
  readonly #port: ReachedPort;
  readonly #end = new AbortController();
  #next: Promise<StepExec | undefined> | undefined;

  constructor(port: ReachedPort) {
    this.#port = port;
    this.#next = this.#openQuietly();
  }

  async take(signal: AbortSignal): Promise<StepExec> {
    const next = await this.#next;
    this.#next = undefined;
    if (next?.stands) return next;
    next?.close();
    return new StepExec(await openLasting(this.#port, 'step', signal));
  }

  /** For the step after the one with this nonce, whose mark came with `rest` behind it. */
  giveBack(exec: StepExec, nonce: string, rest: Buffer): void {
    this.#next = this.#readyAgain(exec, nonce, rest);
  }

  async #readyAgain(exec: StepExec, nonce: string, rest: Buffer): Promise<StepExec | undefined> {
    const timer = new AbortController();
    const either = AbortSignal.any([this.#end.signal, timer.signal]);
    const late = this.#port.clock.sleep(readyAgainMs, either).then(() => false);
    const isReady = await Promise.race([exec.isOver(nonce, rest), late]).catch(() => false);
    timer.abort(); // one left running for each of many short steps makes Node warn of a leak
    if (isReady) return exec;
    exec.close();
    return this.#openQuietly();
  }

  #openQuietly(): Promise<StepExec | undefined> {
    return this.#port.exec(execOf('step'), this.#end.signal).then(
      (session) => new StepExec(session),
      () => undefined,
    );
  }

  [Symbol.dispose](): void {
    this.#end.abort(new Error('the sandbox is closed'));
    this.#next?.then((exec) => exec?.close()).catch(() => {});
  }
}
