import { badInput, messageOf } from '../../base/errors.ts';
import { parseText } from './scalars.ts';

/** The name of a run as an argument. */
export function parseRunName(text: string): string {
  try {
    return parseText(text);
  } catch (error) {
    throw badInput(`NAME: ${messageOf(error)}`, error);
  }
}
