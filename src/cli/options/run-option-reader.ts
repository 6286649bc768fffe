import type { runFlags } from '../commands/run-flags.ts';
import type { OptionReader } from '../flags/option-reader.ts';

export type RunOptionReader = OptionReader<typeof runFlags>;
