import type { RunContext } from '../run-states.ts';
import type { Progress } from './run-journal.ts';

/** Writes down how far the run has come; resolves once a later process would find it. */
export async function noteProgress(
  { journal, phases, reporter }: RunContext,
  progress: Progress,
): Promise<void> {
  const trouble = await journal.save({ ...progress, ...phases.soFar(), warnings: reporter.warnings });
  if (trouble !== null) reporter.warn(trouble);
}
