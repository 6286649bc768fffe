import { systemClock } from '../../base/clock.ts';
import { exitCodeOf } from '../../run/exit-code.ts';
import type { CliContext } from '../cli-context.ts';
import { followFile } from '../follow-file.ts';
import { isReaderGone, logSink } from '../terminal/log-sink.ts';
import { cancelOnSignals } from './cancel-on-signals.ts';

export interface LoggedRun {
  readonly log: string;
  isLive(): Promise<boolean>;
}

/** Shows the log file of a run of this machine, which is masked, as it grows. */
export async function attachToFile(context: CliContext, run: LoggedRun): Promise<void> {
  const { process, signals } = context;
  using signalled = cancelOnSignals(signals);
  const { cancel } = signalled;
  const bytes = followFile(run.log, {
    isOver: async () => !(await run.isLive()),
    clock: systemClock(),
    signal: cancel.inOrder,
  });
  const sink = await logSink(process);
  try {
    for await (const chunk of bytes) await sink.write(chunk);
    await sink.close();
  } catch (error) {
    if (!isReaderGone(error)) throw error;
  }
  if (cancel.inOrder.aborted)
    process.exitCode = exitCodeOf({ status: 'cancelled', reason: null }, cancel.cause);
}
