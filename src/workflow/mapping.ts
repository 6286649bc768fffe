import { badInput } from '../base/errors.ts';

export interface Mapping {
  readonly key: string;
  /** All after the first `=`; undefined where there is none. */
  readonly value: string | undefined;
}

/** Splits `K=V` or `K`. Throws a BadInput RunnerError where the key is empty. */
export function parseMapping(text: string): Mapping {
  const equals = text.indexOf('=');
  const key = equals === -1 ? text : text.slice(0, equals);
  if (key === '') throw badInput(`${JSON.stringify(text)} has no name before the "="; write NAME=VALUE`);
  return { key, value: equals === -1 ? undefined : text.slice(equals + 1) };
}
