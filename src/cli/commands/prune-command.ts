import { RunnerError } from '../../base/errors.ts';
import * as ofEngine from '../../executor/docker/runs/prune-runs.ts';
import * as ofCluster from '../../executor/kubernetes/runs/prune-runs.ts';
import type { CliContext } from '../cli-context.ts';
import type { FlagValues } from '../flags/flag-definition.ts';
import { OptionReader } from '../flags/option-reader.ts';
import { parseConnectionOptions } from '../options/cluster-options.ts';
import { parseWhereOptions } from '../options/engine-options.ts';
import { print } from '../terminal/print.ts';
import { formatTable } from '../terminal/table.ts';
import { connectionFlags } from './connection-flags.ts';
import { whereFlags } from './engine-flags.ts';
import { onCluster } from './on-cluster.ts';
import { onEngine } from './on-engine.ts';
import { pruneFlags } from './prune-flags.ts';
import { note } from './until-signal.ts';

/** `prune`: lists what is left over of runs, and removes it where it is told to. */
export async function pruneCommand(this: CliContext, flags: FlagValues<typeof pruneFlags>): Promise<void> {
  const reader = new OptionReader(pruneFlags, flags, this.process.env);
  const isMeant = reader.enabled('yes');
  const verbose = reader.enabled('verbose');
  const { executor, engine: url } = parseWhereOptions(reader.part(whereFlags));
  if (executor === 'docker') {
    await onEngine({ context: this, url, verbose }, async ({ engine: { api, url: where }, signal }) => {
      const leftovers = await ofEngine.listLeftovers(api, signal);
      const remove = (leftover: (typeof leftovers)[number]) => ofEngine.removeLeftover(api, leftover, signal);
      await prune(this, isMeant, { leftovers, where: `on the engine ${where}`, remove });
    });
    return;
  }
  const options = await parseConnectionOptions(reader.part(connectionFlags), this.cwd);
  await onCluster({ context: this, options, verbose }, async ({ connection: { api }, signal }) => {
    const { leftovers, warnings } = await ofCluster.listLeftovers(api, signal);
    for (const warning of warnings) note(this, warning);
    const remove = (leftover: (typeof leftovers)[number]) => ofCluster.removeLeftover(api, leftover, signal);
    await prune(this, isMeant, {
      leftovers,
      where: `in the namespace ${api.namespace} of ${api.server}`,
      remove,
    });
  });
}

interface Leftover {
  readonly kind: string;
  readonly name: string;
  /** The run's name, where it is known. */
  readonly run: string | null;
  readonly why: string;
}

interface Leftovers<T extends Leftover> {
  readonly leftovers: readonly T[];
  /** For a message that there is nothing: `in the namespace ci of …`. */
  readonly where: string;
  /** Resolves to why that did not work, or to null. */
  readonly remove: (leftover: T) => Promise<string | null>;
}

async function prune<T extends Leftover>(
  context: CliContext,
  isMeant: boolean,
  { leftovers, where, remove }: Leftovers<T>,
): Promise<void> {
  if (leftovers.length === 0) {
    note(context, `nothing is left over ${where}`);
    return;
  }
  await print(context.process.stdout, leftoversTable(leftovers));
  if (!isMeant) {
    note(context, `nothing was removed; prune --yes removes ${leftovers.length === 1 ? 'this' : 'these'}`);
    return;
  }
  let failures = 0;
  for (const leftover of leftovers) {
    const trouble = await remove(leftover);
    if (trouble === null) continue;
    failures += 1;
    note(context, `the ${leftover.kind} ${leftover.name} could not be removed: ${trouble}`);
  }
  if (failures > 0) {
    throw new RunnerError('CleanupFailed', `${failures} of ${leftovers.length} could not be removed`);
  }
  note(context, `removed ${leftovers.length === 1 ? 'it' : `all ${leftovers.length}`}`);
}

/** Pure. */
const leftoversTable = (leftovers: readonly Leftover[]): string =>
  formatTable(
    ['KIND', 'NAME', 'RUN', 'WHY'],
    leftovers.map(({ kind, name, run, why }) => [kind, name, run ?? '', why]),
  );
