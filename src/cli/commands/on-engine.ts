import type { Clock } from '../../base/clock.ts';
import type { Engine } from '../../engine/connect-to-engine.ts';
import { openEngine } from './open-engine.ts';
import { type CommandVoice, untilSignal } from './until-signal.ts';

export interface OnEngine {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly trace: (message: string) => void;
  /** Aborted by the first signal to this process. */
  readonly signal: AbortSignal;
}

export interface EngineSurroundings extends CommandVoice {
  /** What `--engine` says. */
  readonly url: string | undefined;
}

/** As `onCluster`, with the engine that the flags name. */
export const onEngine = (
  surroundings: EngineSurroundings,
  work: (engine: OnEngine) => Promise<void>,
): Promise<void> =>
  untilSignal(surroundings, async ({ clock, trace, signal }) => {
    const { context, url } = surroundings;
    await using engine = await openEngine({ context, clock, trace }, url, signal);
    await work({ engine, clock, trace, signal });
  });
