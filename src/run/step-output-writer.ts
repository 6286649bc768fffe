import { asRunnerError, type RunnerError } from '../base/errors.ts';
import type { EventWriter } from './event-writer.ts';
import type { LogRange, LogWriter } from './log-writer.ts';
import type { Masker } from './masking/masker.ts';
import { Utf8Chunks } from './utf8-chunks.ts';

export interface StepOutputParts {
  /** The step's name, masked. */
  readonly step: string;
  readonly masker: Masker;
  readonly log: LogWriter | undefined;
  readonly events: EventWriter;
  readonly failed: (error: RunnerError) => void;
}

/** Masks one step's output and writes it to the log and the events. Never rejects: trouble is told to `failed`. */
export class StepOutputWriter {
  readonly #parts: StepOutputParts;
  readonly #text = new Utf8Chunks();
  #last: Promise<void> = Promise.resolve();
  #isDropping = false;

  constructor(parts: StepOutputParts) {
    this.#parts = parts;
  }

  /** Writes the step's header. */
  start(): Promise<void> {
    return this.#inOrder(async () => this.#parts.log?.startStep(this.#parts.step));
  }

  /** Resolves when log and events have taken what could be given out. */
  write(bytes: Uint8Array): Promise<void> {
    return this.#inOrder(() => this.#put(this.#parts.masker.write(bytes)));
  }

  /** Gives out what was held back. `cut`: the step did not come to its own end. */
  end(cut: boolean): Promise<void> {
    return this.#inOrder(async () => {
      await this.#put(this.#parts.masker.end(cut));
      for (const piece of this.#text.end()) {
        await this.#parts.events.emit({ type: 'log', step: this.#parts.step, ...piece });
      }
    });
  }

  /** What still comes is dropped. */
  drop(): void {
    this.#isDropping = true;
  }

  /** Null without a log. */
  get range(): LogRange | null {
    return this.#parts.log?.range ?? null;
  }

  async #put(masked: Uint8Array): Promise<void> {
    const { log, events, step } = this.#parts;
    if (masked.length > 0) {
      await log?.write(masked);
    }
    for (const piece of this.#text.write(masked)) {
      await events.emit({ type: 'log', step, ...piece });
    }
  }

  /** One at a time, also where the executor gave up waiting for the one before. */
  #inOrder(work: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(async () => {
      if (this.#isDropping) {
        return;
      }
      try {
        await work();
      } catch (error) {
        this.#isDropping = true;
        this.#parts.failed(asRunnerError(error));
      }
    });
    return this.#last;
  }
}
