import type { Clock } from '../../base/clock.ts';
import { systemClock } from '../../base/clock.ts';
import { exitCodeOf } from '../../run/exit-code.ts';
import type { CliContext } from '../cli-context.ts';
import type { ConnectionOptions } from '../options/run-options.ts';
import { programName } from '../program-name.ts';
import { safeLine } from '../terminal/safe-text.ts';
import { SteadyWriter } from '../terminal/steady-writer.ts';
import { cancelOnSignals } from './cancel-on-signals.ts';
import { type Connection, connect } from './connect.ts';

export interface OnCluster {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly trace: (message: string) => void;
  /** Aborted by the first signal to this process. */
  readonly signal: AbortSignal;
}

export interface CommandSurroundings {
  readonly context: CliContext;
  readonly options: ConnectionOptions;
  readonly verbose: boolean;
  /** For who knows secrets. */
  readonly masked?: (text: string) => string;
}

/**
 * Connects to the cluster that the flags name, does `work`, and lets go of it again. A signal ends it with the
 * exit code of that signal.
 */
export async function onCluster(
  { context, options, verbose, masked = (text) => text }: CommandSurroundings,
  work: (cluster: OnCluster) => Promise<void>,
): Promise<void> {
  const clock = systemClock();
  const trace = verbose ? (message: string) => note(context, masked(message)) : () => {};
  using signalled = cancelOnSignals(context.signals);
  const { cancel } = signalled;
  try {
    await using connection = await connect({ context, clock, trace }, options);
    await work({ connection, clock, trace, signal: cancel.inOrder });
  } catch (error) {
    if (!cancel.inOrder.aborted) throw error;
    context.process.exitCode = exitCodeOf({ status: 'cancelled', reason: null }, cancel.cause);
  }
}

/** A line for a person, on standard error. */
export function note({ process }: CliContext, message: string): void {
  void new SteadyWriter(process.stderr).write(`${programName}: ${safeLine(message)}\n`);
}
