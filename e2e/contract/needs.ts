import { describe, it } from 'vitest';
import type { Ability } from './venue.ts';

/** `describe` where the venue is able to; else the group is skipped and its name says why. */
export function describeIfAble(ability: Ability<unknown>, name: string, body: () => void): void {
  if ('unable' in ability) skipped(name, ability.unable);
  else describe(name, body);
}

export function itIfAble<T>(ability: Ability<T>, name: string, body: (able: T) => Promise<void>): void {
  if ('unable' in ability) skipped(name, ability.unable);
  else it(name, () => body(ability.able));
}

function skipped(name: string, reason: string): void {
  console.log(`skipped: ${name}: ${reason}`);
  it.skip(`${name} (${reason})`, () => {});
}
