import type { RunnerError } from '../base/errors.ts';
import { badInput } from '../base/errors.ts';

/** Where in a file something is wrong; both count from 1. */
export interface Position {
  readonly line: number;
  readonly column?: number;
}

/** The error of an input file: `FILE:LINE:COLUMN: reason`. */
export function inputError(file: string, position: Position, reason: string, cause?: unknown): RunnerError {
  const column = position.column === undefined ? '' : `:${position.column}`;
  return badInput(`${file}:${position.line}${column}: ${reason}`, cause);
}
