import { RunnerError } from '../../base/errors.ts';
import type { Leftover } from '../../executor/kubernetes/runs/leftovers.ts';
import { listLeftovers, removeLeftover } from '../../executor/kubernetes/runs/prune-runs.ts';
import type { CliContext } from '../cli-context.ts';
import type { FlagValues } from '../flags/flag-definition.ts';
import { OptionReader } from '../flags/option-reader.ts';
import { parseConnectionOptions } from '../options/cluster-options.ts';
import { print } from '../terminal/print.ts';
import { formatTable } from '../terminal/table.ts';
import { connectionFlags } from './connection-flags.ts';
import { note, type OnCluster, onCluster } from './on-cluster.ts';
import { pruneFlags } from './prune-flags.ts';

/** `prune`: lists what is left over of runs, and removes it where it is told to. */
export async function pruneCommand(this: CliContext, flags: FlagValues<typeof pruneFlags>): Promise<void> {
  const reader = new OptionReader(pruneFlags, flags, this.process.env);
  const isMeant = reader.enabled('yes');
  const options = await parseConnectionOptions(reader.part(connectionFlags), this.cwd);
  const surroundings = { context: this, options, verbose: reader.enabled('verbose') };
  await onCluster(surroundings, async (cluster) => {
    const { api } = cluster.connection;
    const { leftovers, warnings } = await listLeftovers(api, cluster.signal);
    for (const warning of warnings) note(this, warning);
    if (leftovers.length === 0) {
      note(this, `nothing is left over in the namespace ${api.namespace} of ${api.server}`);
      return;
    }
    await print(this.process.stdout, leftoversTable(leftovers));
    if (isMeant) await removeAll(this, cluster, leftovers);
    else note(this, `nothing was removed; prune --yes removes ${leftovers.length === 1 ? 'this' : 'these'}`);
  });
}

/** Pure. */
export const leftoversTable = (leftovers: readonly Leftover[]): string =>
  formatTable(
    ['KIND', 'NAME', 'RUN', 'WHY'],
    leftovers.map(({ kind, name, run, why }) => [kind, name, run ?? '', why]),
  );

async function removeAll(
  context: CliContext,
  { connection: { api }, signal }: OnCluster,
  leftovers: readonly Leftover[],
): Promise<void> {
  let failures = 0;
  for (const leftover of leftovers) {
    const trouble = await removeLeftover(api, leftover, signal);
    if (trouble === null) continue;
    failures += 1;
    note(context, `the ${leftover.kind} ${leftover.name} could not be removed: ${trouble}`);
  }
  if (failures > 0) {
    throw new RunnerError('CleanupFailed', `${failures} of ${leftovers.length} could not be removed`);
  }
  note(context, `removed ${leftovers.length === 1 ? 'it' : `all ${leftovers.length}`}`);
}
