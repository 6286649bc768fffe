import { textOr, toggle } from '../flags/flag-definition.ts';
import { connectionFlags } from './connection-flags.ts';
import { podFlags } from './pod-flags.ts';
import { runFlags } from './run-flags.ts';

const how = 'How';

/** The flags of `doctor`, in the order of the help. Those of a run mean what they mean there. */
export const doctorFlags = {
  exec: toggle(how, 'make a Job, try exec in its pod by each sub-protocol, and delete it'),
  output: textOr('table', how, 'table|json', 'how the checks are printed'),
  verbose: toggle(how, 'tell requests and retries on standard error'),

  image: runFlags.image,
  timeout: runFlags.timeout,
  'ready-timeout': runFlags['ready-timeout'],

  ...podFlags,

  ...connectionFlags,
} as const;

export const doctorAliases = { n: 'namespace', o: 'output', v: 'verbose' } as const;
