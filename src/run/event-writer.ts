import type { Clock } from '../base/clock.ts';
import { asRunnerError, messageOf, RunnerError } from '../base/errors.ts';
import type { ByteSink } from './destination.ts';
import type { EventBody, RunEvent } from './event-schema.ts';
import type { RunResult } from './result-schema.ts';

export type EventListener = (event: RunEvent) => void | Promise<void>;

/** Gives events to the events file and to a listener, in order and one at a time. */
export class EventWriter {
  readonly #clock: Clock;
  #sink: ByteSink | undefined;
  readonly #failed: (error: RunnerError) => void;
  #listener: EventListener | undefined;
  #sinkWorks: boolean;
  /** Why the file is not whole. */
  #trouble: RunnerError | undefined;
  #last: Promise<void> = Promise.resolve();

  /** `failed` is told once of each of the two that takes no more events. */
  constructor(
    clock: Clock,
    sink: ByteSink | undefined,
    listener: EventListener | undefined,
    failed: (error: RunnerError) => void,
  ) {
    this.#clock = clock;
    this.#sink = sink;
    this.#sinkWorks = sink !== undefined;
    this.#listener = listener;
    this.#failed = failed;
  }

  /** Resolves when the event has been taken, or cannot be; never rejects. */
  emit(body: EventBody): Promise<void> {
    const event = this.#timed(body);
    this.#last = this.#last.then(async () => {
      await this.#write(event);
      await this.#tell(event);
    });
    return this.#last;
  }

  /**
   * Gives out the last event and closes the file. Where the file did not take it, the listener gets the result
   * that `amend` makes. Returns the result that stands in the end.
   */
  async finish(result: RunResult, amend: (error: RunnerError) => RunResult): Promise<RunResult> {
    await this.#last;
    const time = this.#clock.date().toISOString();
    let final = result;
    try {
      if (this.#sinkWorks) {
        await this.#sink?.write(lineOf({ time, type: 'finished', result }));
        await this.close();
      }
    } catch (error) {
      this.#trouble = asRunnerError(error);
    }
    if (this.#trouble && result.status === 'success') {
      final = amend(this.#trouble);
    }
    await this.#tell({ time, type: 'finished', result: final });
    return final;
  }

  /** Closes the file, if that was not done before. */
  async close(): Promise<void> {
    this.#sinkWorks = false;
    const sink = this.#sink;
    this.#sink = undefined;
    await sink?.close();
  }

  async #write(event: RunEvent): Promise<void> {
    if (!this.#sinkWorks) {
      return;
    }
    try {
      await this.#sink?.write(lineOf(event));
    } catch (error) {
      this.#sinkWorks = false;
      this.#trouble = asRunnerError(error);
      this.#failed(this.#trouble);
    }
  }

  async #tell(event: RunEvent): Promise<void> {
    try {
      await this.#listener?.(event);
    } catch (error) {
      this.#listener = undefined;
      this.#failed(asListenerError(error));
    }
  }

  #timed(body: EventBody): RunEvent {
    return { time: this.#clock.date().toISOString(), ...body };
  }
}

const lineOf = (event: RunEvent): Buffer => Buffer.from(`${JSON.stringify(event)}\n`);

const asListenerError = (error: unknown): RunnerError =>
  error instanceof RunnerError
    ? error
    : new RunnerError('LocalWriteFailed', `the run's progress could not be shown: ${messageOf(error)}`, {
        cause: error,
      });
