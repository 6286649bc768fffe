import { badInput } from '../../../base/errors.ts';
import { quote } from '../../options/scalars.ts';

/** A name that can stand in an address and be a file's. */
export function parseClusterName(text: string): string {
  if (/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text)) return text;
  throw badInput(
    `${quote(text)} is no name of a cluster; those are of small letters, digits and -, up to 63`,
  );
}
