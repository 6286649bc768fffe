import type { Sample } from '../report.ts';
import type { Stage } from '../stage.ts';

/** What the measures on a container engine work with. */
export interface EngineStage
  extends Pick<Stage, 'image' | 'folder' | 'executor' | 'clock' | 'signal' | 'rounds' | 'progress'> {
  /** Runs the docker command on the engine. */
  readonly docker: (...words: readonly string[]) => Promise<Sample>;
}
