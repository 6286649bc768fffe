import { dirname } from 'node:path';
import type { Destination } from '../../run/destination.ts';
import type { OutputStream } from '../cli-context.ts';
import type { OutputTarget } from '../options/output-targets.ts';
import { checkWritableFile, checkWritableFolder, makeFolder } from '../options/output-targets.ts';
import type { RunOptions } from '../options/run-options.ts';

export interface RunDestinations {
  readonly result: Destination | undefined;
  readonly log: Destination | undefined;
  readonly events: Destination | undefined;
}

/** The files and streams of a run's outputs. Makes the folders, and rejects with BadInput where anything cannot be written. */
export async function prepareDestinations(
  options: RunOptions,
  stdout: OutputStream,
): Promise<RunDestinations> {
  if (options.outputs !== undefined) await checkWritableFolder(options.outputs.folder);
  const open = async (target: OutputTarget | undefined): Promise<Destination | undefined> => {
    if (target === undefined) return undefined;
    if (target.kind === 'stdout') return { kind: 'stream', stream: stdout, name: 'standard output' };
    await checkWritableFile(target.path);
    return target;
  };
  const destinations = {
    result: await open(options.result),
    log: await open(options.log),
    events: await open(options.events),
  };
  const files = Object.values(destinations).flatMap((target) =>
    target?.kind === 'file' ? [target.path] : [],
  );
  for (const file of files) await makeFolder(dirname(file));
  if (options.outputs !== undefined) await makeFolder(options.outputs.folder);
  return destinations;
}

/** Whether one of the outputs has taken standard output, so that the view must go elsewhere. */
export const takesStandardOutput = (options: RunOptions): boolean =>
  [options.result, options.log, options.events].some((target) => target?.kind === 'stdout');
