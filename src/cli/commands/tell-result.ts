import { relative } from 'node:path';
import type { RunResult } from '../../run/result-schema.ts';
import type { CliContext, OutputStream } from '../cli-context.ts';
import { coloursFor } from '../colours.ts';
import type { OutputTarget } from '../options/output-targets.ts';
import type { RunOptions } from '../options/run-options.ts';
import { programName } from '../program-name.ts';
import { closingLines } from '../terminal/closing-lines.ts';
import type { RunView } from '../terminal/run-view.ts';
import { safeLine } from '../terminal/safe-text.ts';
import { SteadyWriter } from '../terminal/steady-writer.ts';

/**
 * Closes the view with what the run came to. Why it did not pass is an error as well, and stands on standard
 * error unless the person has just seen it.
 */
export async function tellResult(
  result: RunResult,
  options: RunOptions,
  context: CliContext,
  view: RunView,
  stream: OutputStream,
): Promise<void> {
  const { process, cwd } = context;
  const shown = (path: string): string => shortPath(cwd, path);
  const places = {
    outputs: options.outputs === undefined ? undefined : shown(options.outputs.folder),
    log: fileOf(options.log, shown),
    result: fileOf(options.result, shown),
  };
  await view.close(closingLines(result, places, coloursFor(stream, process.env)));
  const isSeen = options.verbosity !== 'quiet' && (stream === process.stderr || stream.isTTY === true);
  if (result.reason === null || isSeen) return;
  const { code, message } = result.reason;
  await new SteadyWriter(process.stderr).write(
    `${programName}: ${result.status}, ${code}: ${safeLine(message)}\n`,
  );
}

const fileOf = (target: OutputTarget | undefined, shown: (path: string) => string): string | undefined =>
  target?.kind === 'file' ? shown(target.path) : undefined;

function shortPath(cwd: string, path: string): string {
  const short = relative(cwd, path);
  return short.startsWith('..') || short === '' ? path : short;
}
