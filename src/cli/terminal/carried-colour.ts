const sgr = /\x1b\[([0-9;:]*)m/g;
const reset = '\x1b[0m';
const longest = 128;

/**
 * Keeps the colours of a pod's output out of our own lines: after each piece of the log the colour is taken
 * back, and put on again before the next.
 */
export class CarriedColour {
  #active = '';

  wrap(text: string): string {
    if (text === '') return '';
    const before = this.#active;
    for (const [sequence, parameters = ''] of text.matchAll(sgr)) {
      this.#active = /^0?$/.test(parameters) ? '' : this.#active + sequence;
    }
    // What piles colours up without an end loses them.
    if (this.#active.length > longest) this.#active = '';
    return `${before}${text}${before !== '' || text.includes('\x1b') ? reset : ''}`;
  }
}

export const withoutColours = (text: string): string => text.replace(sgr, '');
