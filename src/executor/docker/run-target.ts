import type { Clock } from '../../base/clock.ts';
import type { EngineApi } from '../../engine/engine-api.ts';
import type { Observer } from '../executor.ts';
import type { WordWatch } from '../word-watch.ts';

/** Which run, where, and by what means: what the parts of this executor share. */
export interface RunTarget {
  readonly api: EngineApi;
  /** How a person calls docker for this engine: `docker`, or `docker -H URL`. */
  readonly docker: string;
  /** Of the container, and of the run's own network. */
  readonly name: string;
  readonly runId: string;
  readonly clock: Clock;
  readonly observer: Observer;
  readonly words: WordWatch;
}
