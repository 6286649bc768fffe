import type { Clock } from '../../base/clock.ts';
import { withDeadline } from '../../base/deadline.ts';
import { RunnerError } from '../../base/errors.ts';
import type { ExecSession } from '../../base/exec-session.ts';
import { linesOf, Tail } from './lines.ts';

/** One connection to the control program: a line out, a line back. */
export class ControlConnection {
  readonly #session: ExecSession;
  readonly #clock: Clock;
  readonly #lines: AsyncGenerator<string>;
  readonly #stderr: Tail;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(session: ExecSession, clock: Clock) {
    this.#session = session;
    this.#clock = clock;
    this.#lines = linesOf(session.stdout);
    this.#stderr = new Tail(session.stderr);
    session.stdin.on('error', () => {}); // the answer that does not come tells
  }

  /** The next line, within `ms`. Rejects with UnsuitableImage where the program itself has ended. */
  async line(what: string, ms: number, signal?: AbortSignal): Promise<string> {
    const next = await withDeadline(this.#clock, { name: what, ms }, signal, () => this.#lines.next());
    if (!next.done) return next.value;
    const exit = await this.#session.exit; // rejects where the connection broke
    const said = `the pod's control program ended with ${exit.exitCode}: ${this.#stderr.text()}`;
    throw new RunnerError('UnsuitableImage', said, { retry: true });
  }

  /** Sends one line and resolves to its answer, which may take `ms`. Calls take turns. */
  ask(line: string, ms: number, signal?: AbortSignal): Promise<string> {
    const name = `the pod's answer to "${line.split(' ', 1)[0]}"`;
    const answer = this.#turn.then(() => {
      signal?.throwIfAborted();
      this.#session.stdin.write(`${line}\n`);
      return this.line(name, ms, signal);
    });
    this.#turn = answer.catch(() => {});
    return withDeadline(this.#clock, { name, ms: 2 * ms }, signal, () => answer); // its turn comes within `ms`
  }

  close(): void {
    this.#session.close();
  }
}
