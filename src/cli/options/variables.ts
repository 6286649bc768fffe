import { badInput } from '../../base/errors.ts';
import type { Environment } from '../cli-context.ts';
import { quote } from './scalars.ts';

/** Linux refuses to start a program with a longer `NAME=VALUE`. */
const longestBytes = 128 * 1024 - 1;

export type Variable = readonly [name: string, value: string];

/**
 * `K=V`, or `K` for the value that it has here; null for a `K` that is not set here, as docker has it. No
 * message shows more than the name: people put secrets here.
 */
export function parseVariable(text: string, environment: Environment): Variable | null {
  const at = text.indexOf('=');
  const name = checkName(at < 0 ? text : text.slice(0, at));
  const value = at < 0 ? environment[name] : text.slice(at + 1);
  return value === undefined ? null : [name, checkValue(name, value)];
}

/** Shows the name only where it looks like a mistyped one: a line of a key that landed here must not be told. */
function checkName(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return name;
  if (name === '') throw badInput('the name of the variable is missing; write NAME=VALUE');
  const shown = /^[\w.-]{1,40}$/.test(name) ? quote(name) : 'what stands there';
  throw badInput(
    `${shown} cannot be the name of a variable; those are of letters, digits and _, and begin with no digit`,
  );
}

export function checkValue(name: string, value: string): string {
  if (value.includes('\0'))
    throw badInput(`the value of ${name} holds a NUL character, which no variable can`);
  if (Buffer.byteLength(value) + name.length + 1 > longestBytes) {
    throw badInput(
      `the value of ${name} is longer than the 128 KiB that a variable can hold; send it as a file`,
    );
  }
  return value;
}
