import { dirname } from 'node:path';
import { badInput, RunnerError } from '../../base/errors.ts';
import type { Destination } from '../../run/destination.ts';
import type { OutputStream } from '../cli-context.ts';
import type { OutputTarget } from '../options/output-targets.ts';
import { checkWritableFile, checkWritableFolder, makeOutputFolder } from '../options/output-targets.ts';
import type { RunOptions } from '../options/run-options.ts';

export interface RunDestinations {
  readonly result: Destination | undefined;
  readonly log: Destination | undefined;
  readonly events: Destination | undefined;
}

/** Rejects with BadInput where something that was asked for cannot be written. Touches nothing. */
export async function checkDestinations(options: RunOptions): Promise<void> {
  await forEachPlace(options, checkWritableFile, checkWritableFolder);
}

/** Makes the folders that are missing. Rejects with BadInput. */
export async function makeDestinations(options: RunOptions, stdout: OutputStream): Promise<RunDestinations> {
  await forEachPlace(options, (file) => makeOutputFolder(dirname(file)), makeOutputFolder);
  const destination = (target: OutputTarget | undefined): Destination | undefined =>
    target?.kind === 'stdout' ? { kind: 'stream', stream: stdout, name: 'standard output' } : target;
  return {
    result: destination(options.result),
    log: destination(options.log),
    events: destination(options.events),
  };
}

/** Whether one of the outputs has taken standard output, so that the view must go elsewhere. */
export const takesStandardOutput = (options: RunOptions): boolean =>
  [options.result, options.log, options.events].some((target) => target?.kind === 'stdout');

async function forEachPlace(
  options: RunOptions,
  onFile: (path: string) => Promise<void>,
  onFolder: (path: string) => Promise<void>,
): Promise<void> {
  for (const flag of ['result', 'log', 'events'] as const) {
    const target = options[flag];
    if (target?.kind === 'file') await named(flag, () => onFile(target.path));
  }
  const folder = options.outputs?.folder;
  if (folder !== undefined) await named('outputs', () => onFolder(folder));
}

async function named(flag: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isBadInput = error instanceof RunnerError && error.code === 'BadInput';
    throw isBadInput ? badInput(`--${flag}: ${error.message}`, error) : error;
  }
}
