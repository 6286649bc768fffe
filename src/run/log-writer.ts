import type { ByteSink } from './destination.ts';

/** Which bytes of the written log are a step's own. */
export interface LogRange {
  readonly offset: number;
  readonly bytes: number;
}

/** Where a log goes on. */
export interface LogPosition {
  readonly written: number;
  readonly lastByte: number | undefined;
}

const newline = 0x0a;
const beginning: LogPosition = { written: 0, lastByte: undefined };

/** The line before each step that ran. */
const headerLine = (stepName: string): string => `=== step ${stepName}\n`;

/**
 * Writes the log: the steps' bytes as they are, and one header line before each step. Where a step did not end
 * its last line, the newline that the next header needs belongs to that header.
 */
export class LogWriter {
  readonly #sink: ByteSink;
  #written: number;
  #lastByte: number;
  #stepOffset: number;

  constructor(sink: ByteSink, { written, lastByte }: LogPosition = beginning) {
    this.#sink = sink;
    this.#written = written;
    this.#lastByte = lastByte ?? newline;
    this.#stepOffset = written;
  }

  async startStep(name: string): Promise<void> {
    await this.#append(Buffer.from(`${this.#lastByte === newline ? '' : '\n'}${headerLine(name)}`));
    this.#stepOffset = this.#written;
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#append(bytes);
  }

  /** The current step's part so far. */
  get range(): LogRange {
    return { offset: this.#stepOffset, bytes: this.#written - this.#stepOffset };
  }

  /** Bytes in all. */
  get written(): number {
    return this.#written;
  }

  close(): Promise<void> {
    return this.#sink.close();
  }

  async #append(bytes: Uint8Array): Promise<void> {
    await this.#sink.write(bytes);
    this.#written += bytes.length;
    this.#lastByte = bytes.at(-1) ?? this.#lastByte;
  }
}
