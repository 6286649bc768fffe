import { hostname } from 'node:os';
import { RunnerError } from '../../base/errors.ts';
import { cancelRun as cancelContainer } from '../../executor/docker/runs/cancel-run.ts';
import { cancelRun as cancelJob } from '../../executor/kubernetes/runs/cancel-run.ts';
import type { CliContext, Environment } from '../cli-context.ts';
import type { FlagValues } from '../flags/flag-definition.ts';
import { OptionReader } from '../flags/option-reader.ts';
import { parseConnectionOptions } from '../options/cluster-options.ts';
import { parseWhereOptions } from '../options/engine-options.ts';
import { parseRunName } from '../options/run-name.ts';
import { quote } from '../options/scalars.ts';
import { print } from '../terminal/print.ts';
import { cancelFlags } from './cancel-flags.ts';
import { connectionFlags } from './connection-flags.ts';
import { whereFlags } from './engine-flags.ts';
import { onCluster } from './on-cluster.ts';
import { onEngine } from './on-engine.ts';
import { note } from './until-signal.ts';

/** `cancel`: ends one run and waits until nothing is left of it. */
export async function cancelCommand(
  this: CliContext,
  flags: FlagValues<typeof cancelFlags>,
  given: string,
): Promise<void> {
  const { env, stdout } = this.process;
  const name = parseRunName(given);
  const reader = new OptionReader(cancelFlags, flags, env);
  const verbose = reader.enabled('verbose');
  const tell = (message: string): void => note(this, message);
  const now = reader.enabled('now');
  const by = personOf(env);
  const told = async (what: string, leftover: string | null): Promise<void> => {
    if (leftover !== null) {
      throw new RunnerError('CleanupFailed', `the run ${quote(name)} is cancelled, but ${leftover}`);
    }
    await print(stdout, `cancelled the run ${quote(name)} (${what})\n`);
  };
  const { executor, engine: url } = parseWhereOptions(reader.part(whereFlags));
  if (executor === 'docker') {
    await onEngine({ context: this, url, verbose }, async ({ engine, clock, signal }) => {
      const { api, url: where } = engine;
      const container = await cancelContainer({ api, engine: where, clock, name, by, now, tell, signal });
      await told(`container ${container}`, null);
    });
    return;
  }
  const options = await parseConnectionOptions(reader.part(connectionFlags), this.cwd);
  await onCluster({ context: this, options, verbose }, async ({ connection: { api }, clock, signal }) => {
    const { job, leftover } = await cancelJob({ api, clock, name, by, now, tell, signal });
    await told(`Job ${api.namespace}/${job}`, leftover);
  });
}

const personOf = (env: Environment): string => `${env.USER || env.LOGNAME || 'somebody'}@${hostname()}`;
