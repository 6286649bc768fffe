import type { RunnerError } from '../base/errors.ts';
import type { Waiting } from '../executor/executor.ts';
import type { EventBody, Phase } from './event-schema.ts';
import type { EventWriter } from './event-writer.ts';
import type { LogWriter } from './log-writer.ts';
import type { SecretMask } from './masking/secret-mask.ts';
import type { StepResult } from './result-schema.ts';
import { StepOutputWriter } from './step-output-writer.ts';

export interface ReporterParts {
  readonly mask: SecretMask;
  readonly log: LogWriter | undefined;
  readonly events: EventWriter;
  /** Told already, by an earlier process; masked. */
  readonly warnings: readonly string[];
  readonly onTrace: ((message: string) => void) | undefined;
  /** Told when a destination takes no more. */
  readonly failed: (error: RunnerError) => void;
}

/** A pod can make us warn as often as it likes. */
const mostWarnings = 200;

/**
 * Everything that a run tells while it lasts goes through here and is masked here. Only the steps' output waits
 * until it has been taken: a view that hangs must not keep the place from being removed.
 */
export class Reporter {
  readonly #parts: ReporterParts;
  readonly #warnings: Set<string>;

  constructor(parts: ReporterParts) {
    this.#parts = parts;
    this.#warnings = new Set(parts.warnings);
  }

  get warnings(): string[] {
    return [...this.#warnings];
  }

  text(text: string): string {
    return this.#parts.mask.text(text);
  }

  warn(message: string): void {
    if (this.#warnings.size > mostWarnings) {
      return;
    }
    const isLast = this.#warnings.size === mostWarnings;
    const masked = isLast ? 'more warnings than these were left out' : this.text(message);
    if (!this.#warnings.has(masked)) {
      this.#warnings.add(masked);
      this.#tell({ type: 'warning', message: masked });
    }
  }

  trace(message: string): void {
    this.#parts.onTrace?.(this.text(message));
  }

  phase(phase: Phase): void {
    this.#tell({ type: 'phase', phase });
  }

  waiting(waiting: Waiting): void {
    this.#tell({
      type: 'waiting',
      reason: this.text(waiting.reason),
      message: this.text(waiting.message),
      since: waiting.since.toISOString(),
    });
  }

  transfer(direction: 'upload' | 'download', bytes: number, total: number | null): void {
    this.#tell({ type: 'transfer', direction, bytes, total });
  }

  stepStarted(name: string, index: number): void {
    this.#tell({ type: 'step-started', step: this.text(name), index });
  }

  /** Bytes of the log so far. */
  get logBytes(): number {
    return this.#parts.log?.written ?? 0;
  }

  /** What takes the step's bytes. */
  step(name: string): StepOutputWriter {
    const { mask, log, events, failed } = this.#parts;
    return new StepOutputWriter({ step: this.text(name), masker: mask.stream(), log, events, failed });
  }

  stepFinished(result: StepResult): void {
    this.#tell({ type: 'step-finished', step: result.name, result });
  }

  #tell(body: EventBody): void {
    void this.#parts.events.emit(body);
  }
}
