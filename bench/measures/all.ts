import { aroundTheSteps } from './around-the-steps.ts';
import { atOnce } from './at-once.ts';
import { cancel } from './cancel.ts';
import type { Measure } from './measure.ts';
import { memory } from './memory.ts';
import { printing } from './printing.ts';
import { runs } from './runs.ts';
import { startUp } from './start-up.ts';
import { steps } from './steps.ts';
import { transfers } from './transfers.ts';

/** In the order of the report. */
export const measures: readonly Measure[] = [
  steps,
  runs,
  aroundTheSteps,
  ...transfers,
  printing,
  cancel,
  atOnce,
  memory,
  startUp,
];
