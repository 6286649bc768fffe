import { inputError } from './input-error.ts';
import { sourceText } from './source-text.ts';
import { valueProblem, variableNameProblem } from './text-rules.ts';

export interface EnvFileEntry {
  readonly name: string;
  /** Exactly as it stands, quotes and spaces too; undefined where the runner's own variable is to be passed on. */
  readonly value: string | undefined;
}

/**
 * Reads docker's `--env-file` format: `NAME=VALUE` or `NAME` a line; blank lines and those that begin with `#` are
 * skipped; nothing is unquoted or expanded. Errors never show a value. Throws a BadInput RunnerError.
 */
export function parseEnvFile(bytes: Uint8Array, file: string): EnvFileEntry[] {
  const entries: EnvFileEntry[] = [];
  for (const [index, whole] of sourceText(bytes, file).split('\n').entries()) {
    const line = whole.replace(/\r$/, '').trimStart();
    if (line === '' || line.startsWith('#')) continue;
    const equals = line.indexOf('=');
    const name = equals === -1 ? line.trimEnd() : line.slice(0, equals);
    const value = equals === -1 ? undefined : line.slice(equals + 1);
    const problem = nameProblem(name) ?? valueProblem(value ?? '');
    if (problem !== undefined) throw inputError(file, { line: index + 1 }, problem);
    entries.push({ name, value });
  }
  return entries;
}

/** A line without `=` may be a part of a value by mistake, so what is no name is not shown. */
const nameProblem = (name: string): string | undefined =>
  variableNameProblem(name) === undefined
    ? undefined
    : 'the line does not begin with a name of a variable; write NAME=VALUE, the name of letters, digits and _';
