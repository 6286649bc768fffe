/**
 * One flag of a command: stricli's description of it, with what our help and the KNOTLESS_K8S_ variables need
 * beside. Every flag is optional to stricli, since its value may come from a variable or a default.
 */
interface FlagDocumentation {
  readonly brief: string;
  /** The heading that it stands under in the help. */
  readonly group: string;
  readonly optional: true;
}

export interface SwitchFlag extends FlagDocumentation {
  readonly kind: 'boolean';
  readonly withNegated: false;
}

export interface TextFlag extends FlagDocumentation {
  readonly kind: 'parsed';
  readonly parse: (text: string) => string;
  readonly placeholder: string;
  /** What holds where neither flag nor variable is given, as it would be written. */
  readonly fallback?: string;
}

export interface ListFlag extends FlagDocumentation {
  readonly kind: 'parsed';
  readonly parse: (text: string) => string;
  readonly placeholder: string;
  readonly variadic: true;
}

export type FlagTable = Readonly<Record<string, SwitchFlag | TextFlag | ListFlag>>;

/** What stricli hands over for a table. */
export type FlagValues<Table extends FlagTable> = {
  readonly [Name in keyof Table]?: Table[Name] extends SwitchFlag
    ? boolean
    : Table[Name] extends ListFlag
      ? readonly string[]
      : string;
};

export type SwitchNames<Table extends FlagTable> = NamesOf<Table, SwitchFlag>;
export type ListNames<Table extends FlagTable> = NamesOf<Table, ListFlag>;
export type TextNames<Table extends FlagTable> = Exclude<
  keyof Table & string,
  SwitchNames<Table> | ListNames<Table>
>;

type NamesOf<Table extends FlagTable, Kind> = {
  [Name in keyof Table & string]: Table[Name] extends Kind ? Name : never;
}[keyof Table & string];

const asWritten = (text: string): string => text;

export function toggle(group: string, brief: string): SwitchFlag {
  return { kind: 'boolean', withNegated: false, optional: true, group, brief };
}

export function text(group: string, placeholder: string, brief: string): TextFlag {
  return { kind: 'parsed', parse: asWritten, optional: true, group, placeholder, brief };
}

/** A text flag with a default. */
export function textOr(
  fallback: string,
  group: string,
  placeholder: string,
  brief: string,
): TextFlag & { readonly fallback: string } {
  return { ...text(group, placeholder, brief), fallback };
}

/** A flag that may be given more than once; in its variable, one value a line. */
export function list(group: string, placeholder: string, brief: string): ListFlag {
  return { kind: 'parsed', parse: asWritten, optional: true, variadic: true, group, placeholder, brief };
}

/** The variable that stands in for a flag: `ready-timeout` is `KNOTLESS_K8S_READY_TIMEOUT`. */
export const variableOf = (flag: string): string => `KNOTLESS_K8S_${flag.toUpperCase().replaceAll('-', '_')}`;
