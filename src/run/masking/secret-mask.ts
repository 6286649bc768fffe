import { Automaton } from './automaton.ts';
import { Masker } from './masker.ts';
import { secretPatterns, shortestSecret } from './patterns.ts';

/** Masks the values of a run's secrets in all that comes out of it. */
export class SecretMask {
  readonly #automaton: Automaton;
  /** What the run's owner should know of values that cannot be masked. Holds names only. */
  readonly warnings: readonly string[];

  constructor(secrets: Readonly<Record<string, string>>) {
    const patterns = new Map(
      Object.entries(secrets).map(([name, value]) => [name, secretPatterns(value)] as const),
    );
    this.#automaton = new Automaton([...patterns.values()].flat());
    this.warnings = [...patterns]
      .filter(([, forms]) => forms.length === 0)
      .map(
        ([name]) =>
          `the secret ${name} is not masked: its value is blank or shorter than ${shortestSecret} characters`,
      );
  }

  /** A masker for one stream. */
  stream(): Masker {
    return new Masker(this.#automaton);
  }

  text(text: string): string {
    const masker = this.stream();
    return Buffer.concat([masker.write(Buffer.from(text)), masker.end(false)]).toString();
  }
}
