import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { systemClock } from '../../base/clock.ts';
import { badInput } from '../../base/errors.ts';
import { liveRuns } from '../../run/journal/live-runs.ts';
import type { CliContext } from '../cli-context.ts';
import { coloursFor } from '../colours.ts';
import { followFile } from '../follow-file.ts';
import { journalFolder } from '../journal-folder.ts';
import { quote } from '../options/scalars.ts';
import { SafeText } from '../terminal/safe-text.ts';
import { cancelOnSignals } from './cancel-on-signals.ts';

/** `attach`: the masked log of a live run, as it grows. */
export async function attachCommand(this: CliContext, _flags: unknown, name: string): Promise<void> {
  const { process, signals } = this;
  const [run, ...others] = await liveRuns(journalFolder(this), name);
  if (!run) {
    throw badInput(
      `no run ${quote(name)} is under way here; attach works on the machine, and for the user, that runs it`,
    );
  }
  if (others.length > 0) {
    throw badInput(
      `${others.length + 1} runs ${quote(name)} are under way here, on different clusters; read the file of each one's --log`,
    );
  }
  if (run.log === null) {
    throw badInput(
      `the log of the run ${quote(name)} goes to no file; start it with --log FILE to attach to it`,
    );
  }
  using signalled = cancelOnSignals(signals);
  const signal = signalled.cancel.inOrder;
  const bytes = followFile(run.log, {
    isOver: async () => !(await run.isLive()),
    clock: systemClock(),
    signal,
  });
  const { stdout } = process;
  const shown = stdout.isTTY ? safely(bytes, coloursFor(stdout, process.env).isColorSupported) : bytes;
  try {
    await pipeline(Readable.from(shown, { objectMode: false }), stdout, { end: false });
  } catch (error) {
    const isReaderGone = error instanceof Error && 'code' in error && error.code === 'EPIPE';
    if (!isReaderGone) throw error;
  }
}

async function* safely(bytes: AsyncIterable<Buffer>, colours: boolean): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  const safe = new SafeText({ colours });
  for await (const chunk of bytes) yield safe.push(decoder.write(chunk));
  yield safe.push(decoder.end()) + safe.end();
}
