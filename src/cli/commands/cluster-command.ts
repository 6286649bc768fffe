import { RunnerError } from '../../base/errors.ts';
import type { CliContext } from '../cli-context.ts';
import type { FlagValues } from '../flags/flag-definition.ts';
import type { clusterFlags } from './cluster-flags.ts';

export async function clusterCommand(
  this: CliContext,
  flags: FlagValues<typeof clusterFlags>,
): Promise<void> {
  throw new RunnerError('Internal', `not built yet: ${Object.keys(flags).join(' ')}`);
}
