import { messageOf, RunnerError } from '../../base/errors.ts';
import { ControlConnection } from './control-connection.ts';
import { type Greeting, readGreeting } from './greeting.ts';
import { openLasting, type ReachedPort } from './pod-port.ts';

const greetingMs = 20_000;
const beatEveryMs = 10_000;
const answerMs = 20_000;
/** A program that greets and ends, again and again, must not have us open execs as fast as we can. */
const longestPauseMs = 5_000;

/**
 * The standing exec beside the steps: proves that the pod can be reached, renews the lease by which the pod
 * knows that its runner lives, and signals a step's processes. A broken one is opened again.
 */
export class ControlChannel implements AsyncDisposable {
  readonly greeting: Greeting;
  readonly #port: ReachedPort;
  readonly #end = new AbortController();
  #connection: Promise<ControlConnection>;
  /** What `#connection` came to; undefined while the next one is being opened. */
  #current: ControlConnection | undefined;
  #beats = 0;
  readonly #beating: Promise<void>;

  private constructor(port: ReachedPort, connection: ControlConnection, greeting: Greeting) {
    this.#port = port;
    this.greeting = greeting;
    this.#connection = Promise.resolve(connection);
    this.#current = connection;
    this.#beating = this.#keepBeating().catch(() => {});
  }

  /** Resolves once the control program has greeted: the pod is proven to run programs. */
  static async open(port: ReachedPort, signal: AbortSignal): Promise<ControlChannel> {
    const { connection, greeting } = await greeted(port, signal);
    return new ControlChannel(port, connection, greeting);
  }

  /** Signals every process of a step; resolves to whether the step had started. */
  async stop(cookie: string, kind: 'TERM' | 'KILL', signal: AbortSignal): Promise<boolean> {
    const answer = await this.#ask(`stop ${cookie} ${kind}`, signal);
    return !answer.endsWith(' none');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort(new Error('the control channel is closed'));
    this.#connection.then((connection) => connection.close()).catch(() => {});
    await this.#beating;
  }

  async #keepBeating(): Promise<void> {
    const signal = AbortSignal.any([this.#end.signal, this.#port.lost]);
    for (;;) {
      await this.#ask(`beat ${this.#port.nonce()}-${this.#beats++}`, signal);
      await this.#port.clock.sleep(beatEveryMs, signal);
    }
  }

  /** Every line may be sent again: renewing twice and signalling twice do no harm. */
  async #ask(line: string, signal: AbortSignal): Promise<string> {
    for (let lost = 0; ; lost++) {
      if (lost > 1) await this.#port.clock.sleep(Math.min(longestPauseMs, 50 * 2 ** lost), signal);
      signal.throwIfAborted();
      const connection = await this.#connection;
      try {
        const answer = await connection.ask(line, answerMs, signal);
        this.#port.reach.answered();
        return answer;
      } catch (error) {
        signal.throwIfAborted();
        this.#port.trace(`control connection lost, opening another: ${messageOf(error)}`);
        connection.close();
        this.#replace(connection);
      }
    }
  }

  /** Two that wait for an answer see the same connection break; one of them opens the next. */
  #replace(broken: ControlConnection): void {
    if (this.#current !== broken) return;
    this.#current = undefined;
    const signal = AbortSignal.any([this.#end.signal, this.#port.lost]);
    this.#connection = greeted(this.#port, signal).then(({ connection }) => {
      this.#current = connection;
      return connection;
    });
    this.#connection.catch(() => {});
  }
}

/**
 * A pod is ready a moment before its process 1 has written the programs; until then there is no greeting. Where the
 * program still ends after a while, it is the image; a connection that breaks says nothing of it.
 */
async function greeted(
  port: ReachedPort,
  signal: AbortSignal,
): Promise<{ connection: ControlConnection; greeting: Greeting }> {
  const giveUpAt = port.clock.now() + port.patienceMs;
  let unsuitableAt: number | undefined;
  for (;;) {
    const connection = new ControlConnection(await openLasting(port, 'control', signal), port.clock);
    try {
      const line = await connection.line("the pod's greeting", greetingMs, signal);
      const greeting = readGreeting(line);
      port.reach.answered();
      return { connection, greeting };
    } catch (error) {
      connection.close();
      signal.throwIfAborted();
      if (!(error instanceof RunnerError && error.retry)) throw error;
      const now = port.clock.now();
      if (error.code === 'UnsuitableImage') {
        unsuitableAt ??= now + greetingMs;
        if (now > unsuitableAt) throw unsuitable(error);
      } else {
        if (now > giveUpAt) throw error;
        port.reach.failed(error.message);
      }
      port.trace(`no greeting yet: ${error.message}`);
      await port.clock.sleep(50, signal);
    }
  }
}

const unsuitable = (error: RunnerError): RunnerError =>
  new RunnerError('UnsuitableImage', `the run's programs do not start in this image: ${error.message}`, {
    cause: error,
  });
