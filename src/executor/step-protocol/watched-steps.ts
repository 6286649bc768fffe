import { RunnerError } from '../../base/errors.ts';
import type { Onlooker } from '../executor.ts';
import { WatchedStep } from './watched-step.ts';

export const longestAnswer = 200;

/** The steps as far as they were seen, over all connections. */
export class WatchedSteps {
  readonly #onlooker: Onlooker;
  #begun = 0;
  #step: WatchedStep | undefined;
  #isGoingOn = false;
  #hasHeard = false;

  constructor(onlooker: Onlooker) {
    this.#onlooker = onlooker;
  }

  /** Where the next connection has to begin: `STEPS BYTES`. */
  get position(): string {
    return this.#isWithin ? `${this.#begun - 1} ${this.#step?.offset}` : `${this.#begun} 0`;
  }

  get #isWithin(): boolean {
    return this.#step !== undefined && !this.#step.isOver;
  }

  connected(): void {
    this.#isGoingOn = this.#isWithin;
  }

  hear(answer: string): void {
    const [, state] = /^watching (begun|none)$/.exec(answer) ?? [];
    if (state === undefined) throw violation(`answered ${JSON.stringify(answer.slice(0, longestAnswer))}`);
    if (!this.#hasHeard) this.#onlooker.entered(state === 'begun');
    this.#hasHeard = true;
  }

  async begin(line: string): Promise<void> {
    const step = WatchedStep.read(line);
    if (!step) throw violation('named a step in a way that is none');
    if (this.#isGoingOn) {
      this.#isGoingOn = false;
      if (!this.#step?.isSame(step)) throw violation('named another step than before');
      return;
    }
    await this.end();
    this.#begun++;
    this.#step = step;
    await this.#onlooker.stepStarted(step.name);
  }

  async push(bytes: Buffer): Promise<void> {
    if (!this.#step || this.#isGoingOn) throw violation('told of no step before its log');
    const wasOver = this.#step.isOver;
    for (const output of this.#step.push(bytes)) await this.#onlooker.output(output);
    if (this.#step.isOver && !wasOver) await this.#onlooker.stepEnded();
  }

  /** No more of the step will come. */
  async end(): Promise<void> {
    if (this.#isWithin) await this.#onlooker.stepEnded();
  }
}

const violation = (what: string): RunnerError =>
  new RunnerError('ProtocolViolation', `the pod ${what}: something there forged or tore what the run keeps`);
