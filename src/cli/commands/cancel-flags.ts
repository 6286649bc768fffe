import { toggle } from '../flags/flag-definition.ts';
import { clusterGroup, connectionFlags } from './connection-flags.ts';

/** The flags of `cancel` in the order of the help. */
export const cancelFlags = {
  ...connectionFlags,
  verbose: toggle(clusterGroup, 'tell requests and retries on standard error'),
} as const;

export const cancelAliases = { n: 'namespace', v: 'verbose' } as const;
