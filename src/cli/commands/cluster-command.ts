import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { startEmbeddedCluster } from '../../embedded/cluster.ts';
import { parseFault } from '../../embedded/faults/parse.ts';
import { parseDuration } from '../../workflow/duration.ts';
import type { CliContext } from '../cli-context.ts';
import type { FlagValues } from '../flags/flag-definition.ts';
import { OptionReader } from '../flags/option-reader.ts';
import { SteadyWriter } from '../terminal/steady-writer.ts';
import { cancelOnSignals } from './cancel-on-signals.ts';
import { clusterFlags } from './cluster-flags.ts';

/** `cluster`: keeps an embedded cluster up until a signal comes. That signal is how it ends well: exit code 0. */
export async function clusterCommand(
  this: CliContext,
  flags: FlagValues<typeof clusterFlags>,
): Promise<void> {
  const { process, signals, tempFolder } = this;
  const options = new OptionReader(clusterFlags, flags, process.env);
  const nodeDelayMs = options.parsed('node-delay', parseDuration) ?? 0;
  const nodeHoldMs = options.parsed('hold', parseDuration) ?? 0;
  const faults = options.parsedList('fault', parseFault);
  using signalled = cancelOnSignals(signals);
  const signal = signalled.cancel.inOrder;
  const hints = new SteadyWriter(process.stderr);

  const folder = await mkdtemp(join(tempFolder, 'knotless-cluster-'));
  await using cluster = await startEmbeddedCluster({
    folder,
    clock: systemClock(),
    nodeDelayMs,
    nodeHoldMs,
    faults,
    signal,
  });
  await new SteadyWriter(process.stdout).write(`${cluster.kubeconfigPath}\n`);
  for (const notice of cluster.notices) await hints.write(`note: ${notice}\n`);
  await hints.write(
    `an embedded cluster is up at ${cluster.server}; use it with\n  export KUBECONFIG=${cluster.kubeconfigPath}\nand end it with Ctrl-C\n`,
  );
  if (!signal.aborted) await once(signal, 'abort');
  await hints.write('ending the embedded cluster\n');
}
