/**
 * Makes a pod's text safe for a terminal. Colours (SGR sequences) may pass; every other escape sequence is left
 * out, and control characters other than tab, line feed and carriage return are shown as pictures (␇). So no
 * output can move the cursor, set the title, ask the terminal anything or hide what we print.
 */
export class SafeText {
  readonly #colours: boolean;
  #pending = '';

  constructor(options: { readonly colours: boolean }) {
    this.#colours = options.colours;
  }

  /** The text that can be shown by now; a sequence that is cut at the end waits for its rest. */
  push(text: string): string {
    if (this.#pending === '' && !suspicious.test(text)) return text;
    const all = this.#pending + text;
    const cut = cutSequence.exec(all)?.[0] ?? '';
    this.#pending = cut.length <= longestPending ? cut : '';
    return this.#clean(all.slice(0, all.length - this.#pending.length));
  }

  /** What is left when nothing more will come. */
  end(): string {
    const rest = this.#clean(this.#pending);
    this.#pending = '';
    return rest;
  }

  #clean(text: string): string {
    return text.replace(tokens, (token) => {
      if (token.length === 1) return pictureOf(token);
      return this.#colours && colour.test(token) ? token : '';
    });
  }
}

/** Text of the cluster or of a file as a part of one line of ours: no colours, no line breaks. */
export function safeLine(text: string): string {
  const safe = new SafeText({ colours: false });
  return (safe.push(text) + safe.end()).replace(/\s+/g, ' ').trim();
}

const longestPending = 4096;
const suspicious = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;
const colour = /^\x1b\[[0-9;:]*m$/;
/** Control sequences, strings (titles, links, device control), short escapes; then any control character alone. */
const tokens =
  /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-OQ-WYZ\\`-~]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;
const cutSequence = /\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b\n]*\x1b?|[ -/]*)$/;

function pictureOf(control: string): string {
  const code = control.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}
