import type { Clock } from '../base/clock.ts';
import type { Phase } from './event-schema.ts';
import type { RunResult } from './result-schema.ts';

/** How a run had spent its time when an earlier process left it. */
export interface EarlierTime {
  readonly startedAt: string;
  readonly savedAt: string;
  /** The one that it was in. */
  readonly phase: Phase;
  /** In milliseconds. */
  readonly spent: Readonly<Record<Phase, number>>;
}

/** Times the phases of a run, which follow one another without a gap. Begins with the wait, or where it was left. */
export class PhaseClock {
  readonly #startedAt: string;
  readonly #clock: Clock;
  readonly #start: number;
  readonly #spent: Record<Phase, number> = { wait: 0, upload: 0, steps: 0, download: 0, cleanup: 0 };
  #phase: Phase = 'wait';
  #mark = 0;

  constructor(clock: Clock, earlier?: EarlierTime) {
    this.#clock = clock;
    this.#startedAt = earlier?.startedAt ?? clock.date().toISOString();
    this.#start = clock.now();
    if (earlier) {
      // Between two processes there is no other clock than the date; one that went back counts as no time.
      const away = Math.max(0, clock.date().getTime() - new Date(earlier.savedAt).getTime());
      Object.assign(this.#spent, earlier.spent);
      this.#mark = Object.values(earlier.spent).reduce((sum, ms) => sum + ms, 0);
      this.#start -= this.#mark + away;
      this.#phase = earlier.phase;
    }
  }

  enter(phase: Phase): void {
    // Rounded at the marks and not per phase, so that the parts add up to the whole.
    const now = Math.round(this.#clock.now() - this.#start);
    this.#spent[this.#phase] += now - this.#mark;
    this.#mark = now;
    this.#phase = phase;
  }

  /** Up to now. */
  soFar(): Pick<EarlierTime, 'phase' | 'spent'> {
    this.enter(this.#phase);
    return { phase: this.#phase, spent: { ...this.#spent } };
  }

  /** Ends the last phase. */
  finish(): Pick<RunResult, 'startedAt' | 'finishedAt' | 'durationMs' | 'timings'> {
    this.enter(this.#phase);
    const { wait, upload, steps, download, cleanup } = this.#spent;
    return {
      startedAt: this.#startedAt,
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
