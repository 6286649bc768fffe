import { asRunnerError, messageOf, RunnerError } from '../../base/errors.ts';
import type { StepOutput } from '../executor.ts';
import type { PodPort } from './pod-port.ts';
import { SilenceWatch } from './silence.ts';
import type { StepExec } from './step-exec.ts';
import { type LogEnd, MarkSplitter, type StepMark } from './step-mark.ts';

/** The follower in the pod gives a sign of life every 5 s; after this long without one the road is dead. */
const silenceMs = 20_000;
const longestAnswer = 200;
/** How long the cluster may take to tell that the pod is going. */
const explanationMs = 3_000;
const mostFruitless = 3;

export interface MarkedEnd extends LogEnd {
  readonly mark: StepMark;
}

/** A step on its way, across as many connections as it takes. */
export class FollowedStep {
  readonly #index: number;
  readonly nonce: string;
  readonly #body: Buffer;
  readonly #output: StepOutput;
  readonly #splitter: MarkSplitter;
  /** Bytes of the step's log that have come and were handed on. */
  #delivered = 0;
  #accepted = false;
  #fruitless = 0;
  #announceAccepted: () => void = () => {};
  /** Resolves when the pod has said that the step is under way. */
  readonly accepted: Promise<void>;

  constructor(index: number, nonce: string, body: Buffer, output: StepOutput) {
    this.#index = index;
    this.nonce = nonce;
    this.#body = body;
    this.#output = output;
    this.#splitter = new MarkSplitter(nonce);
    this.accepted = new Promise((resolve) => {
      this.#announceAccepted = resolve;
    });
  }

  /**
   * Follows the step over one connection. Resolves to the mark with what came behind it, or to undefined when the
   * connection ended before it: then the next one goes on where this one stopped. The body goes along until the
   * pod has answered; its lock sees to it that only one of them starts.
   */
  async follow(exec: StepExec, port: PodPort, signal: AbortSignal): Promise<MarkedEnd | undefined> {
    const { session } = exec;
    const onAbort = (): void => session.close();
    signal.addEventListener('abort', onAbort, { once: true });
    using silence = new SilenceWatch(port.clock, silenceMs, () => {
      port.trace(`step ${this.#index}: no sign of life for ${silenceMs / 1000} s, dropping the connection`);
      session.close();
    });
    exec.onSign = () => silence.heard();
    const before = this.#offset;
    try {
      signal.throwIfAborted();
      const body = this.#accepted ? Buffer.alloc(0) : this.#body;
      exec.write(`${this.#index} ${this.#offset} ${this.nonce} ${body.length}\n`, body);
      const end = await this.#read(exec, silence);
      if (end?.mark) return { mark: end.mark, rest: end.rest };
      const explained = (): Promise<void> => port.clock.sleep(explanationMs, signal);
      if (end || (await endedByItself(exec, explained))) this.#countFruitless(before);
    } catch (error) {
      if (error instanceof RunnerError && !error.retry) throw error;
      port.trace(`step ${this.#index}: connection broke: ${messageOf(error)}`);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
    signal.throwIfAborted();
    return undefined;
  }

  /** Where the next connection is to go on. */
  get #offset(): number {
    return this.#delivered + this.#splitter.held;
  }

  async #read(exec: StepExec, silence: SilenceWatch): Promise<LogEnd | undefined> {
    let answer = '';
    let answered = false;
    for (let chunk = await exec.read(); chunk; chunk = await exec.read()) {
      silence.heard();
      if (!answered) {
        const end = chunk.indexOf(0x0a);
        answer += chunk.toString('latin1', 0, end < 0 ? chunk.length : end);
        if (end < 0 && answer.length < longestAnswer) continue;
        this.#hear(answer);
        answered = true;
        chunk = chunk.subarray(end + 1);
      }
      const { output, end } = this.#splitter.push(chunk);
      {
        using _output = silence.hold();
        for (const bytes of output) await this.#deliver(bytes);
      }
      if (end) return end;
    }
    return undefined;
  }

  #hear(answer: string): void {
    if (answer === 'accepted') {
      this.#accepted = true;
      this.#announceAccepted();
    } else if (answer === 'refused the body came short') {
      throw new RunnerError('ConnectionLost', 'the script did not arrive whole', { retry: true });
    } else {
      throw new RunnerError(
        'ProtocolViolation',
        `the pod answered ${JSON.stringify(answer.slice(0, longestAnswer))}`,
      );
    }
  }

  /** A follower that ended by itself, told nothing new and saw no end: it will say the same again. */
  #countFruitless(before: number): void {
    this.#fruitless = this.#offset === before ? this.#fruitless + 1 : 0;
    if (this.#fruitless < mostFruitless) return;
    throw new RunnerError(
      'ProtocolViolation',
      "the step's log in the pod has no end: something there removed or cut what the run keeps in /.knotless and /.knotless-log",
    );
  }

  /** What goes wrong on our own side is no broken connection. */
  async #deliver(bytes: Buffer): Promise<void> {
    this.#delivered += bytes.length;
    try {
      await this.#output(bytes);
    } catch (error) {
      throw asRunnerError(error, 'LocalWriteFailed');
    }
  }
}

/**
 * Whether the follower in the pod ended, not the road to it. Throws what it knows and no other connection can mend,
 * unless `explained` rejects with a better reason: a pod on its way out kills its programs first.
 */
async function endedByItself(
  { session, stderr }: StepExec,
  explained: () => Promise<void>,
): Promise<boolean> {
  const exit = await session.exit.catch(() => undefined);
  const code = exit?.exitCode;
  if (code === 4) {
    await explained();
    throw new RunnerError(
      'ProtocolViolation',
      `the step's supervisor is gone and left no exit status: it was killed`,
    );
  }
  if (code === 5) {
    throw new RunnerError(
      'LogIncomplete',
      `the step's log could not be written in the pod: is its disk full? ${stderr.text()}`.trim(),
    );
  }
  return exit !== undefined;
}
