import { toggle } from '../flags/flag-definition.ts';
import { clusterGroup } from './connection-flags.ts';
import { whereFlags } from './engine-flags.ts';

/** The flags of `cancel` in the order of the help. */
export const cancelFlags = {
  now: toggle(
    'How',
    'delete the Job or container at once: steps are not ended in order, no outputs are fetched',
  ),
  ...whereFlags,
  verbose: toggle(clusterGroup, 'tell requests and retries on standard error'),
} as const;

export const cancelAliases = { n: 'namespace', v: 'verbose' } as const;
