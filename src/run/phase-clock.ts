import type { Clock } from '../base/clock.ts';
import type { Phase } from './event-schema.ts';
import type { RunResult } from './result-schema.ts';

/** Times the phases of a run, which follow one another without a gap. Begins with the wait. */
export class PhaseClock {
  readonly startedAt: Date;
  readonly #clock: Clock;
  readonly #start: number;
  readonly #spent: Record<Phase, number> = { wait: 0, upload: 0, steps: 0, download: 0, cleanup: 0 };
  #phase: Phase = 'wait';
  #mark = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.startedAt = clock.date();
    this.#start = clock.now();
  }

  enter(phase: Phase): void {
    // Rounded at the marks and not per phase, so that the parts add up to the whole.
    const now = Math.round(this.#clock.now() - this.#start);
    this.#spent[this.#phase] += now - this.#mark;
    this.#mark = now;
    this.#phase = phase;
  }

  /** Ends the last phase. */
  finish(): Pick<RunResult, 'startedAt' | 'finishedAt' | 'durationMs' | 'timings'> {
    this.enter(this.#phase);
    const { wait, upload, steps, download, cleanup } = this.#spent;
    return {
      startedAt: this.startedAt.toISOString(),
      finishedAt: this.#clock.date().toISOString(),
      durationMs: this.#mark,
      timings: {
        waitMs: wait,
        uploadMs: upload,
        stepsMs: steps,
        downloadMs: download,
        cleanupMs: cleanup,
      },
    };
  }
}
