import { isAbsolute, join } from 'node:path';
import type { CliContext } from './cli-context.ts';
import { programName } from './program-name.ts';

/** Where this machine keeps what is to be known of runs after their runner's end, as the XDG rules have it. */
export function journalFolder({ process, homeFolder }: CliContext): string {
  const given = process.env.XDG_STATE_HOME ?? '';
  const state = isAbsolute(given) ? given : join(homeFolder, '.local', 'state');
  return join(state, programName, 'runs');
}
