import { badInput, RunnerError } from '../../base/errors.ts';
import type { Environment } from '../cli-context.ts';
import type { FlagTable, ListNames, SwitchNames, TextNames } from './flag-definition.ts';
import { variableOf } from './flag-definition.ts';

export type Origin = 'flag' | 'variable';

/** The options of a command: each from its flag, then its variable (unset and empty are the same), then its default. */
export class OptionReader<Table extends FlagTable> {
  readonly #table: Table;
  readonly #given: Readonly<Record<string, unknown>>;
  readonly #environment: Environment;

  constructor(table: Table, given: Readonly<Record<string, unknown>>, environment: Environment) {
    this.#table = table;
    this.#given = given;
    this.#environment = environment;
  }

  /** The same options, for who reads only some of them. */
  part<Part extends FlagTable>(table: Part): OptionReader<Part> {
    return new OptionReader(table, this.#given, this.#environment);
  }

  /** Where the option was set; undefined where only its default holds. */
  origin(name: keyof Table & string): Origin | undefined {
    if (this.#given[name] !== undefined) return 'flag';
    return this.#variable(name) === undefined ? undefined : 'variable';
  }

  /** How a message names the option: by what the person wrote. */
  label(name: keyof Table & string): string {
    return this.origin(name) === 'variable' ? variableOf(name) : `--${name}`;
  }

  text(name: TextNames<Table>): string | undefined {
    const given = this.#given[name];
    if (typeof given === 'string') return given;
    const flag = this.#table[name];
    const fallback = flag !== undefined && 'fallback' in flag ? flag.fallback : undefined;
    return this.#variable(name) ?? fallback;
  }

  list(name: ListNames<Table>): readonly string[] {
    const given = this.#given[name];
    if (Array.isArray(given)) return given.map(String);
    const lines = this.#variable(name)?.split(/\r?\n/) ?? [];
    return lines.filter((line) => line !== '');
  }

  enabled(name: SwitchNames<Table>): boolean {
    const given = this.#given[name];
    if (typeof given === 'boolean') return given;
    const value = this.#variable(name);
    if (value === undefined || /^(false|no|off|0)$/i.test(value)) return false;
    if (/^(true|yes|on|1)$/i.test(value)) return true;
    throw badInput(`${variableOf(name)} is neither true nor false`);
  }

  /** The option as `parse` reads it; what is wrong with it is told with the option's name before it. */
  parsed<T>(name: TextNames<Table>, parse: (text: string) => T): T | undefined {
    const value = this.text(name);
    return value === undefined ? undefined : this.#labelled(name, () => parse(value));
  }

  parsedList<T>(name: ListNames<Table>, parse: (text: string) => T): readonly T[] {
    return this.list(name).map((value) => this.#labelled(name, () => parse(value)));
  }

  /** Like `parsed`, for what has to look at files. */
  async parsedLater<T>(name: TextNames<Table>, parse: (text: string) => Promise<T>): Promise<T | undefined> {
    const value = this.text(name);
    return value === undefined ? undefined : await this.#labelledLater(name, () => parse(value));
  }

  async parsedListLater<T>(
    name: ListNames<Table>,
    parse: (text: string) => Promise<T>,
  ): Promise<readonly T[]> {
    const values: T[] = [];
    for (const value of this.list(name)) values.push(await this.#labelledLater(name, () => parse(value)));
    return values;
  }

  /**
   * Of two options that exclude each other, whether the first holds. A flag stands above a variable; two that
   * were set in the same place are refused.
   */
  prevails(name: keyof Table & string, other: keyof Table & string): boolean {
    const [mine, theirs] = [this.origin(name), this.origin(other)];
    if (mine === undefined) return false;
    if (mine === theirs) {
      throw badInput(`${this.label(name)} and ${this.label(other)} exclude each other; give one of them`);
    }
    return theirs === undefined || mine === 'flag';
  }

  #variable(name: string): string | undefined {
    return this.#environment[variableOf(name)] || undefined;
  }

  #labelled<T>(name: keyof Table & string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#relabelled(name, error);
    }
  }

  async #labelledLater<T>(name: keyof Table & string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#relabelled(name, error);
    }
  }

  #relabelled(name: keyof Table & string, error: unknown): unknown {
    const isBadInput = error instanceof RunnerError && error.code === 'BadInput';
    return isBadInput ? badInput(`${this.label(name)}: ${error.message}`, error) : error;
  }
}
