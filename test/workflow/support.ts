import { RunnerError } from '../../src/base/errors.ts';

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The message of the BadInput error that a call throws. */
export function refusalOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof RunnerError && error.code === 'BadInput') return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

/** Numbers below `below` that are the same in every run: xorshift from a seed. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}
