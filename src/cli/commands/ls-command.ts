import { listRuns } from '../../executor/kubernetes/runs/list-runs.ts';
import type { RunSummary } from '../../executor/kubernetes/runs/run-summary.ts';
import type { CliContext } from '../cli-context.ts';
import type { FlagValues } from '../flags/flag-definition.ts';
import { OptionReader } from '../flags/option-reader.ts';
import { parseConnectionOptions } from '../options/cluster-options.ts';
import { oneOf, parseText } from '../options/scalars.ts';
import { formatAge } from '../terminal/age.ts';
import { print, printJson } from '../terminal/print.ts';
import { formatTable } from '../terminal/table.ts';
import { connectionFlags } from './connection-flags.ts';
import { lsFlags } from './ls-flags.ts';
import { note, onCluster } from './on-cluster.ts';

/** `ls`: the runs of a namespace, as a table or as JSON. */
export async function lsCommand(this: CliContext, flags: FlagValues<typeof lsFlags>): Promise<void> {
  const { stdout, env } = this.process;
  const reader = new OptionReader(lsFlags, flags, env);
  const runner = reader.parsed('runner', parseText);
  const output = reader.parsed('output', oneOf('table', 'json'));
  const options = await parseConnectionOptions(reader.part(connectionFlags), this.cwd);
  const surroundings = { context: this, options, verbose: reader.enabled('verbose') };
  await onCluster(surroundings, async ({ connection: { api }, clock, signal }) => {
    const runs = await listRuns(api, runner, signal);
    if (output === 'json') {
      await printJson(stdout, { schemaVersion: 1, namespace: api.namespace, runs });
    } else if (runs.length === 0) {
      note(this, `no runs in the namespace ${api.namespace} of ${api.server}`);
    } else {
      await print(stdout, runsTable(runs, clock.date()));
    }
  });
}

/** Pure. */
export const runsTable = (runs: readonly RunSummary[], now: Date): string =>
  formatTable(
    ['NAME', 'RUNNER', 'STATUS', 'AGE', 'NODE'],
    runs.map((run) => [
      run.name ?? '',
      run.runner ?? '',
      `${run.status}${run.reason === null ? '' : ` (${run.reason})`}${run.kept ? ', kept' : ''}`,
      // both are dates of their own machines: an age is for people only
      run.createdAt === null ? '' : formatAge(now.getTime() - Date.parse(run.createdAt)),
      run.node ?? '',
    ]),
  );
