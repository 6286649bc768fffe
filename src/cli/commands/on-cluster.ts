import type { Clock } from '../../base/clock.ts';
import type { ConnectionOptions } from '../options/run-options.ts';
import { type Connection, connect } from './connect.ts';
import { type CommandVoice, untilSignal } from './until-signal.ts';

export interface OnCluster {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly trace: (message: string) => void;
  /** Aborted by the first signal to this process. */
  readonly signal: AbortSignal;
}

export interface CommandSurroundings extends CommandVoice {
  readonly options: ConnectionOptions;
}

/**
 * Connects to the cluster that the flags name, does `work`, and lets go of it again. A signal ends it with the
 * exit code of that signal.
 */
export const onCluster = (
  surroundings: CommandSurroundings,
  work: (cluster: OnCluster) => Promise<void>,
): Promise<void> =>
  untilSignal(surroundings, async ({ clock, trace, signal }) => {
    const { context, options } = surroundings;
    await using connection = await connect({ context, clock, trace }, options);
    await work({ connection, clock, trace, signal });
  });
