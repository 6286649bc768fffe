import { toggle } from '../flags/flag-definition.ts';
import { whereFlags } from './engine-flags.ts';

const how = 'How';

/** The flags of `prune`, in the order of the help. */
export const pruneFlags = {
  yes: toggle(how, 'remove them; without it they are only listed'),
  verbose: toggle(how, 'tell requests and retries on standard error'),

  ...whereFlags,
} as const;

export const pruneAliases = { n: 'namespace', v: 'verbose' } as const;
