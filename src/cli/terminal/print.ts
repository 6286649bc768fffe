import { RunnerError } from '../../base/errors.ts';
import { errorCodeOf } from '../../base/system-error.ts';
import type { OutputStream } from '../cli-context.ts';
import { SteadyWriter } from './steady-writer.ts';

/** Writes what a command was asked for. Rejects with LocalWriteFailed where nobody can read it. */
export async function print(stdout: OutputStream, text: string): Promise<void> {
  const writer = new SteadyWriter(stdout);
  await writer.write(text);
  if (writer.failure === null || isReaderGone(writer.failure)) return;
  const message = `standard output cannot be written: ${writer.failure.message}`;
  throw new RunnerError('LocalWriteFailed', message, { cause: writer.failure });
}

/** As JSON that holds no control character, for it may be printed to a terminal. */
export const printJson = (stdout: OutputStream, value: unknown): Promise<void> =>
  print(
    stdout,
    `${JSON.stringify(value, null, 2).replace(
      /[\u007f-\u009f\u2028\u2029]/g,
      (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )}\n`,
  );

/** `| head -1` has read what it wanted. */
const isReaderGone = (error: Error): boolean => errorCodeOf(error) === 'EPIPE';
