export interface Style {
  readonly bold: boolean;
  readonly dim: boolean;
  /** 0 to 7, as SGR numbers them. */
  readonly colour: number | undefined;
}

export interface Cell {
  readonly character: string;
  readonly style: Style;
}

const plain: Style = { bold: false, dim: false, colour: undefined };
const tokens = /\x1b\[(?<parameters>[0-9;]*)(?<verb>[A-Za-z])|[\s\S]/gu;

/** As much of a terminal as this program's live view needs: line ends, erasing, moving up, colours. */
export class TerminalScreen {
  readonly #columns: number;
  readonly #rows: Cell[][] = [[]];
  #row = 0;
  #column = 0;
  #style = plain;

  constructor(columns: number) {
    this.#columns = columns;
  }

  write(text: string): void {
    for (const { 0: token, groups } of text.matchAll(tokens)) {
      if (groups?.verb !== undefined) this.#control(groups.verb, groups.parameters ?? '');
      else if (token === '\r') this.#column = 0;
      else if (token === '\n') this.#row += 1;
      else this.#put(token);
    }
  }

  /** From the first line to the last that is not empty. */
  rows(): readonly (readonly Cell[])[] {
    const last = this.#rows.findLastIndex((row) => row.some(({ character }) => character !== ' '));
    return Array.from({ length: last + 1 }, (_, index) => this.#rows[index] ?? []);
  }

  #put(character: string): void {
    if (this.#column === this.#columns) {
      this.#row += 1;
      this.#column = 0;
    }
    const row = this.#cells();
    while (row.length < this.#column) row.push({ character: ' ', style: plain });
    row[this.#column] = { character, style: this.#style };
    this.#column += 1;
  }

  #control(verb: string, parameters: string): void {
    if (verb === 'K') this.#cells().length = Math.min(this.#cells().length, this.#column);
    else if (verb === 'A') this.#row = Math.max(0, this.#row - Number(parameters || 1));
    else if (verb === 'm') for (const code of parameters.split(';')) this.#setStyle(Number(code));
    else throw new Error(`the recorder does not know the control sequence ${parameters}${verb}`);
  }

  #setStyle(code: number): void {
    if (code === 0) this.#style = plain;
    else if (code === 1) this.#style = { ...this.#style, bold: true };
    else if (code === 2) this.#style = { ...this.#style, dim: true };
    else if (code === 22) this.#style = { ...this.#style, bold: false, dim: false };
    else if (code >= 30 && code <= 37) this.#style = { ...this.#style, colour: code - 30 };
    else if (code === 39) this.#style = { ...this.#style, colour: undefined };
  }

  #cells(): Cell[] {
    while (this.#rows.length <= this.#row) this.#rows.push([]);
    return this.#rows[this.#row] ?? [];
  }
}
