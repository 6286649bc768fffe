import type { Executor } from '../../src/executor/executor.ts';
import type { Faults } from '../relay/faults.ts';
import type { PlannedFault } from './fault-choices.ts';
import type { SeededRandom } from './random.ts';

/** Where the runs of a storm run. */
export interface Ground extends AsyncDisposable {
  /** `the namespace NAME`, … */
  readonly name: string;
  /** By which `npm run drill` comes here again. */
  readonly flags: string;
  /** Faults that a run has to survive, and now and then one that it cannot. */
  planFaults(random: SeededRandom, count: number, steps: number): PlannedFault[];
  /** For one run. */
  openRoad(settings: RoadSettings): Promise<Road>;
  /** Takes a run's place away, not through the relay. Resolves to whether there was one. */
  strike(runName: string, how: string): Promise<boolean>;
  /** What a run has left, by kind and name, asked of the place itself, past the relay. */
  leftovers(runId: string): Promise<string[]>;
}

interface RoadSettings {
  /** For what the relay writes. */
  readonly folder: string;
  readonly compress: 'gzip' | 'none';
  readonly trace: (message: string) => void;
}

/** The executor, put together as the command does, behind a relay that breaks. */
interface Road extends AsyncDisposable {
  readonly executor: Executor;
  readonly relay: Faults;
}
