import { listRuns as listContainers } from '../../executor/docker/runs/list-runs.ts';
import { listRuns as listJobs } from '../../executor/kubernetes/runs/list-runs.ts';
import type { CliContext } from '../cli-context.ts';
import type { FlagValues } from '../flags/flag-definition.ts';
import { OptionReader } from '../flags/option-reader.ts';
import { parseConnectionOptions } from '../options/cluster-options.ts';
import { parseWhereOptions } from '../options/engine-options.ts';
import { oneOf, parseText } from '../options/scalars.ts';
import { formatAge } from '../terminal/age.ts';
import { print, printJson } from '../terminal/print.ts';
import { formatTable } from '../terminal/table.ts';
import { connectionFlags } from './connection-flags.ts';
import { whereFlags } from './engine-flags.ts';
import { lsFlags } from './ls-flags.ts';
import { onCluster } from './on-cluster.ts';
import { onEngine } from './on-engine.ts';
import { note } from './until-signal.ts';

/** `ls`: the runs of a namespace or of an engine, as a table or as JSON. */
export async function lsCommand(this: CliContext, flags: FlagValues<typeof lsFlags>): Promise<void> {
  const reader = new OptionReader(lsFlags, flags, this.process.env);
  const runner = reader.parsed('runner', parseText);
  const output = reader.parsed('output', oneOf('table', 'json')) ?? 'table';
  const verbose = reader.enabled('verbose');
  const show = (listing: Listing): Promise<void> => showRuns(this, output, listing);
  const { executor, engine: url } = parseWhereOptions(reader.part(whereFlags));
  if (executor === 'docker') {
    await onEngine({ context: this, url, verbose }, async ({ engine, clock, signal }) => {
      const runs = await listContainers(engine.api, runner, signal);
      await show({
        json: { engine: engine.url, runs },
        runs: runs.map((run) => ({ ...run, at: run.container })),
        heading: 'CONTAINER',
        where: `on the engine ${engine.url}`,
        now: clock.date(),
      });
    });
    return;
  }
  const options = await parseConnectionOptions(reader.part(connectionFlags), this.cwd);
  await onCluster({ context: this, options, verbose }, async ({ connection: { api }, clock, signal }) => {
    const runs = await listJobs(api, runner, signal);
    await show({
      json: { namespace: api.namespace, runs },
      runs: runs.map((run) => ({ ...run, at: run.node ?? '' })),
      heading: 'NODE',
      where: `in the namespace ${api.namespace} of ${api.server}`,
      now: clock.date(),
    });
  });
}

interface Listing {
  /** What is printed as JSON. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly runs: readonly ListedRun[];
  /** Of the last column. */
  readonly heading: string;
  /** For a message that there is nothing: `in the namespace ci of …`. */
  readonly where: string;
  readonly now: Date;
}

interface ListedRun {
  readonly name: string | null;
  readonly runner: string | null;
  readonly status: string;
  readonly reason: string | null;
  readonly kept: boolean;
  readonly createdAt: string | null;
  readonly at: string;
}

async function showRuns(context: CliContext, output: 'table' | 'json', listing: Listing): Promise<void> {
  const { stdout } = context.process;
  if (output === 'json') await printJson(stdout, { schemaVersion: 1, ...listing.json });
  else if (listing.runs.length === 0) note(context, `no runs ${listing.where}`);
  else await print(stdout, runsTable(listing));
}

/** Pure. */
const runsTable = ({ runs, heading, now }: Listing): string =>
  formatTable(
    ['NAME', 'RUNNER', 'STATUS', 'AGE', heading],
    runs.map((run) => [
      run.name ?? '',
      run.runner ?? '',
      `${run.status}${run.reason === null ? '' : ` (${run.reason})`}${run.kept ? ', kept' : ''}`,
      // both are dates of their own machines: an age is for people only
      run.createdAt === null ? '' : formatAge(now.getTime() - Date.parse(run.createdAt)),
      run.at,
    ]),
  );
