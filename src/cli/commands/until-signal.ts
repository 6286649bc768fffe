import { type Clock, systemClock } from '../../base/clock.ts';
import { exitCodeOf } from '../../run/exit-code.ts';
import type { CliContext } from '../cli-context.ts';
import { programName } from '../program-name.ts';
import { safeLine } from '../terminal/safe-text.ts';
import { SteadyWriter } from '../terminal/steady-writer.ts';
import { cancelOnSignals } from './cancel-on-signals.ts';

export interface CommandVoice {
  readonly context: CliContext;
  readonly verbose: boolean;
  /** For who knows secrets. */
  readonly masked?: (text: string) => string;
}

export interface UntilSignal {
  readonly clock: Clock;
  readonly trace: (message: string) => void;
  /** Aborted by the first signal to this process. */
  readonly signal: AbortSignal;
}

/** Does the work of a command that makes no run. A signal ends it with the exit code of that signal. */
export async function untilSignal(
  { context, verbose, masked = (text) => text }: CommandVoice,
  work: (surroundings: UntilSignal) => Promise<void>,
): Promise<void> {
  const trace = verbose ? (message: string) => note(context, masked(message)) : () => {};
  using signalled = cancelOnSignals(context.signals);
  const { cancel } = signalled;
  try {
    await work({ clock: systemClock(), trace, signal: cancel.inOrder });
  } catch (error) {
    if (!cancel.inOrder.aborted) throw error;
    context.process.exitCode = exitCodeOf({ status: 'cancelled', reason: null }, cancel.cause);
  }
}

/** A line for a person, on standard error. */
export function note({ process }: CliContext, message: string): void {
  void new SteadyWriter(process.stderr).write(`${programName}: ${safeLine(message)}\n`);
}
