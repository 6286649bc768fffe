import { toggle } from '../flags/flag-definition.ts';
import { clusterGroup } from './connection-flags.ts';
import { whereFlags } from './engine-flags.ts';
import { secretFlags } from './secret-flags.ts';

/** The flags of `attach` in the order of the help. */
export const attachFlags = {
  ...secretFlags,
  ...whereFlags,
  verbose: toggle(clusterGroup, 'tell requests and retries on standard error'),
} as const;

export const attachAliases = { n: 'namespace', v: 'verbose' } as const;
