import { text, textOr, toggle } from '../flags/flag-definition.ts';
import { whereFlags } from './engine-flags.ts';

const which = 'Which runs, and how';

/** The flags of `ls`, in the order of the help. */
export const lsFlags = {
  runner: text(which, 'DID', 'only those that are for this runner'),
  output: textOr('table', which, 'table|json', 'how they are printed'),
  verbose: toggle(which, 'tell requests and retries on standard error'),

  ...whereFlags,
} as const;

export const lsAliases = { n: 'namespace', o: 'output', v: 'verbose' } as const;
