import { badInput } from '../../base/errors.ts';
import { parseEngineUrl } from '../../engine/engine-address.ts';
import { connectionFlags } from '../commands/connection-flags.ts';
import { engineFlags, type whereFlags } from '../commands/engine-flags.ts';
import { podFlags } from '../commands/pod-flags.ts';
import type { FlagTable } from '../flags/flag-definition.ts';
import type { OptionReader, Origin } from '../flags/option-reader.ts';
import type { RunOptionReader } from './run-option-reader.ts';
import { oneOf } from './scalars.ts';

export interface EngineOptions {
  readonly executor: 'kubernetes' | 'docker';
  /** undefined: found as the docker CLI finds it. */
  readonly engine: string | undefined;
}

/** These of the pod's flags an engine has a meaning for. */
const ofAnyContainer = ['pull', 'cpu', 'memory', 'user', 'profile', 'network'];

const ofClusterOnly = [...Object.keys(connectionFlags), ...Object.keys(podFlags)].filter(
  (flag): flag is keyof typeof connectionFlags | keyof typeof podFlags => !ofAnyContainer.includes(flag),
);

/** Where the run is to run. Throws BadInput that names each flag which has no meaning there. */
export const parseEngineOptions = (reader: RunOptionReader): EngineOptions =>
  chooseExecutor(reader, [...ofClusterOnly, ...(reader.enabled('embedded') ? (['embedded'] as const) : [])]);

/** The same, for a command that makes no run. */
export const parseWhereOptions = (reader: OptionReader<typeof whereFlags>): EngineOptions =>
  chooseExecutor(reader, ['kubeconfig', 'context', 'namespace', 'transport', 'kubectl']);

function chooseExecutor<Table extends typeof engineFlags & FlagTable>(
  reader: OptionReader<Table>,
  clusterOnly: readonly (keyof Table & string)[],
): EngineOptions {
  const own = reader.part(engineFlags);
  const executor = own.parsed('executor', oneOf('kubernetes', 'docker')) ?? 'kubernetes';
  const engine = own.parsed('engine', checkedUrl);
  if (executor === 'kubernetes') {
    if (reader.origin('engine') === 'flag') {
      throw badInput('--engine has no effect without --executor docker; add it');
    }
    return { executor, engine: undefined };
  }
  // as with all options that exclude each other, a flag stands above a variable
  const isMeant = (origin: Origin | undefined): boolean =>
    origin === 'flag' || (origin === 'variable' && reader.origin('executor') === 'variable');
  const wrong = clusterOnly.filter((flag) => isMeant(reader.origin(flag))).map((flag) => reader.label(flag));
  if (wrong.length === 0) return { executor, engine };
  const which = wrong.length === 1 ? 'it' : 'them';
  throw badInput(
    `only a cluster has a meaning for ${wrong.join(', ')}, and ${reader.label('executor')} is docker; leave ${which} out`,
  );
}

function checkedUrl(text: string): string {
  parseEngineUrl(text, undefined);
  return text;
}
