import { isUtf8 } from 'node:buffer';
import { RunnerError } from '../base/errors.ts';
import { shownPath } from './shown-path.ts';

/** Linux takes no longer path or target in one call, nor a longer name in a folder; both in bytes. */
const longestPath = 4095;
const longestName = 255;

/** Why a harmless name or target from the pod cannot be kept here, or undefined where it can. */
export function whyUnsupported(name: Uint8Array): string | undefined {
  if (!isUtf8(name)) return 'it is not UTF-8';
  if (name.length > longestPath) return `it is longer than ${longestPath} bytes`;
  for (let start = 0; start < name.length; ) {
    const slash = name.indexOf(47, start);
    const end = slash === -1 ? name.length : slash;
    if (end - start > longestName) return `a part of it is longer than ${longestName} bytes`;
    start = end + 1;
  }
  return undefined;
}

/**
 * The path that a name stands for, relative and without `.`, `..` and double slashes; empty for the root. Throws an
 * OutputsRefused RunnerError for a name by which an honest sender never calls anything.
 */
export function safePath(name: string): string {
  if (name.includes('\0')) throw refusedName(name, 'it has a NUL');
  if (name.startsWith('/')) throw refusedName(name, 'it is absolute');
  if (!emptyOrDots.test(name)) return name;
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw refusedName(name, 'it leads upwards');
  return parts.join('/');
}

/** A part that is empty, `.` or `..`. */
const emptyOrDots = /(?:^|\/)\.{0,2}(?:\/|$)/;

const refusedName = (name: string, why: string): RunnerError =>
  new RunnerError('OutputsRefused', `the pod sent the name ${shownPath(name)}, which is refused: ${why}`);

/** The folder that a path is in; empty for the root. */
export const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0));
