import { fitText } from './text-width.ts';

/**
 * Text for a terminal whose last lines are redrawn: lines that stay go above, live ones are replaced each time.
 * Pure: each call returns what has to be written, at once, so that nothing flickers.
 */
export class LiveScreen {
  #shown = 0;

  /** `staying` is whole lines, each with its line end, or empty. */
  draw(staying: string, live: readonly string[], columns: number): string {
    // One column is left free: a full line would wrap on some terminals.
    const lines = live.map((line) => fitText(line, Math.max(1, columns - 1)));
    const text = this.#erase() + staying + lines.join('\r\n');
    this.#shown = lines.length;
    return text;
  }

  #erase(): string {
    if (this.#shown === 0) return '';
    return `\r\x1b[K${'\x1b[1A\x1b[K'.repeat(this.#shown - 1)}`;
  }
}
