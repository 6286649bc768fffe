/**
 * Cuts a log into lines for a terminal. Of a line that was drawn over by carriage returns (a progress bar) the
 * last drawing stays. A line that is very long is broken, so that it need not be held.
 */
export class LogLines {
  #open = '';

  /** The line that has no end yet. */
  get open(): string {
    return this.#open;
  }

  /** The lines that are whole by now, each with its line end. */
  push(text: string): string {
    const lastEnd = text.lastIndexOf('\n');
    if (lastEnd < 0) {
      this.#open = lastDrawing(this.#open + text, true);
      return this.#breakOpen();
    }
    const whole = (this.#open + text.slice(0, lastEnd)).split('\n').map((line) => lastDrawing(line, false));
    this.#open = lastDrawing(text.slice(lastEnd + 1), true);
    return `${whole.join('\n')}\n${this.#breakOpen()}`;
  }

  /** The open line, ended. */
  end(): string {
    const line = this.#open;
    this.#open = '';
    return line === '' ? '' : `${lastDrawing(line, false)}\n`;
  }

  #breakOpen(): string {
    if (this.#open.length < longestLine) return '';
    const line = this.#open;
    this.#open = '';
    return `${line}\n`;
  }
}

const longestLine = 8192;

/** Where more may come, a carriage return at the very end is kept: it may be half of a line end. */
function lastDrawing(line: string, mayGoOn: boolean): string {
  const trimmed = line.replace(/\r+$/, '');
  const drawing = trimmed.slice(trimmed.lastIndexOf('\r') + 1);
  return mayGoOn && trimmed.length < line.length ? `${drawing}\r` : drawing;
}
