import type { Row } from '../report.ts';
import type { Stage } from '../stage.ts';

export interface Measure {
  /** For `--only`. */
  readonly name: string;
  /** What it makes is gone when it settles. */
  run(stage: Stage): Promise<readonly Row[]>;
}
