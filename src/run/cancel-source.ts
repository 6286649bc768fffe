import { RunnerError } from '../base/errors.ts';

/** Who asked for the end: a signal to this process, or something outside it. */
export type CancelCause = 'hang-up' | 'interrupt' | 'termination' | 'elsewhere';

const causeTexts: Readonly<Record<CancelCause, string>> = {
  'hang-up': 'by a hang-up of the terminal',
  interrupt: 'by an interrupt (Ctrl-C)',
  termination: 'by a termination signal',
  elsewhere: 'from elsewhere',
};

/**
 * Ends a run early. Each call of `cancel` asks for more haste: the first for an end in order (grace, log,
 * outputs, delete), the second skips grace and outputs, the third leaves once the delete was sent.
 */
export class CancelSource {
  readonly #levels = [new AbortController(), new AbortController(), new AbortController()] as const;
  #calls = 0;
  #cause: CancelCause | null = null;

  /** `by`: who, where that is known. */
  cancel(cause: CancelCause, by?: string): void {
    this.#cause ??= cause;
    const whom = by === undefined ? '' : `, by ${by}`;
    const error = new RunnerError('Cancelled', `the run was cancelled ${causeTexts[this.#cause]}${whom}`);
    this.#levels[this.#calls]?.abort(error);
    this.#calls += 1;
  }

  /** The first cause that was given; it decides the exit code. */
  get cause(): CancelCause | null {
    return this.#cause;
  }

  get inOrder(): AbortSignal {
    return this.#levels[0].signal;
  }

  get hurried(): AbortSignal {
    return this.#levels[1].signal;
  }

  get leaving(): AbortSignal {
    return this.#levels[2].signal;
  }
}
