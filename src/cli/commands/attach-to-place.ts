import { RunnerError } from '../../base/errors.ts';
import { createDockerWatcher } from '../../executor/docker/runs/watcher.ts';
import type { Onlooker, Waiting, Watcher } from '../../executor/executor.ts';
import { createKubernetesWatcher } from '../../executor/kubernetes/runs/watcher.ts';
import { SecretMask } from '../../run/masking/secret-mask.ts';
import { showRun } from '../../run/show-run.ts';
import type { CliContext } from '../cli-context.ts';
import type { OptionReader } from '../flags/option-reader.ts';
import { parseConnectionOptions } from '../options/cluster-options.ts';
import { parseWhereOptions } from '../options/engine-options.ts';
import { quote } from '../options/scalars.ts';
import { parseSecrets } from '../options/secrets.ts';
import { isReaderGone, logSink } from '../terminal/log-sink.ts';
import type { attachFlags } from './attach-flags.ts';
import { connectionFlags } from './connection-flags.ts';
import { whereFlags } from './engine-flags.ts';
import { onCluster } from './on-cluster.ts';
import { onEngine } from './on-engine.ts';
import { secretFlags } from './secret-flags.ts';
import { note, type UntilSignal } from './until-signal.ts';

/** Shows the log of a run from its pod or container, masked with the secrets that were given. */
export async function attachToPlace(
  context: CliContext,
  reader: OptionReader<typeof attachFlags>,
  name: string,
): Promise<void> {
  const { process, cwd } = context;
  const secrets = await parseSecrets(reader.part(secretFlags), cwd, process.env);
  const { executor, engine: url } = parseWhereOptions(reader.part(whereFlags));
  const mask = new SecretMask(secrets);
  const masked = (text: string): string => mask.text(text);
  const tell = (message: string): void => note(context, masked(message));
  const voice = { context, verbose: reader.enabled('verbose'), masked };
  const show = async (watcher: Watcher, { trace, signal }: Omit<UntilSignal, 'clock'>): Promise<void> => {
    const run = await watcher.find(name, signal);
    const log = await logSink(process);
    for (const warning of mask.warnings) tell(warning);
    const told = toldBy(tell, trace);
    try {
      const { message, isWhole } = await showRun({ run, secrets, log, told, signal });
      await log.close();
      tell(`the run ${quote(name)} is over: ${message}`);
      if (!isWhole) throw endMissing(name);
    } catch (error) {
      if (!isReaderGone(error)) throw error;
    }
  };
  if (executor === 'docker') {
    await onEngine({ ...voice, url }, async ({ engine: { api, url: engine }, clock, ...until }) =>
      show(createDockerWatcher({ api, engine, clock }), until),
    );
    return;
  }
  const options = await parseConnectionOptions(reader.part(connectionFlags), cwd);
  await onCluster({ ...voice, options }, async ({ connection: { api }, clock, ...until }) =>
    show(createKubernetesWatcher({ api, clock }), until),
  );
}

/** Why it waits is told on each change. */
function toldBy(
  tell: (message: string) => void,
  trace: (message: string) => void,
): Pick<Onlooker, 'waiting' | 'warning' | 'trace' | 'entered'> {
  return {
    trace,
    warning: tell,
    waiting: (waiting: Waiting | null) => {
      if (waiting) tell(`the run waits: ${waiting.reason}: ${waiting.message}`);
    },
    entered: (hasBegun) => {
      if (!hasBegun) tell('no step has begun yet');
    },
  };
}

const endMissing = (name: string): RunnerError =>
  new RunnerError(
    'LogIncomplete',
    `the end of the log of ${quote(name)} did not come before its place was gone; the runner's own --log may have it`,
  );
