import { hostname } from 'node:os';
import { RunnerError } from '../../base/errors.ts';
import { cancelRun } from '../../executor/kubernetes/runs/cancel-run.ts';
import type { CliContext, Environment } from '../cli-context.ts';
import type { FlagValues } from '../flags/flag-definition.ts';
import { OptionReader } from '../flags/option-reader.ts';
import { parseConnectionOptions } from '../options/cluster-options.ts';
import { parseRunName } from '../options/run-name.ts';
import { quote } from '../options/scalars.ts';
import { print } from '../terminal/print.ts';
import { cancelFlags } from './cancel-flags.ts';
import { connectionFlags } from './connection-flags.ts';
import { note, onCluster } from './on-cluster.ts';

/** `cancel`: ends one run and waits until nothing is left of it. */
export async function cancelCommand(
  this: CliContext,
  flags: FlagValues<typeof cancelFlags>,
  given: string,
): Promise<void> {
  const { env, stdout } = this.process;
  const name = parseRunName(given);
  const reader = new OptionReader(cancelFlags, flags, env);
  const options = await parseConnectionOptions(reader.part(connectionFlags), this.cwd);
  const surroundings = { context: this, options, verbose: reader.enabled('verbose') };
  await onCluster(surroundings, async ({ connection: { api }, clock, signal }) => {
    const warn = (message: string): void => note(this, message);
    const by = personOf(env);
    const { job, leftover } = await cancelRun({ api, clock, name, by, warn, signal });
    if (leftover !== null) {
      throw new RunnerError('CleanupFailed', `the run ${quote(name)} is cancelled, but ${leftover}`);
    }
    await print(stdout, `cancelled the run ${quote(name)} (Job ${api.namespace}/${job})\n`);
  });
}

const personOf = (env: Environment): string => `${env.USER || env.LOGNAME || 'somebody'}@${hostname()}`;
