import { resolve } from 'node:path';
import { badInput } from '../../base/errors.ts';
import { connectionFlags } from '../commands/connection-flags.ts';
import type { OptionReader } from '../flags/option-reader.ts';
import { readInputBytes } from './input-files.ts';
import { parseNamespace } from './pod-values.ts';
import type { RunOptionReader } from './run-option-reader.ts';
import type { ClusterOptions, ConnectionOptions } from './run-options.ts';
import { oneOf, parseText } from './scalars.ts';

const longestKubeconfig = 64 * 1024 * 1024;

export async function parseClusterOptions(reader: RunOptionReader, cwd: string): Promise<ClusterOptions> {
  const embedded = isEmbedded(reader);
  const road = reader.part(connectionFlags);
  return {
    embedded,
    ...parseRoad(road),
    ...(embedded ? { kubeconfig: undefined, context: undefined } : await parseKubeconfig(road, cwd)),
  };
}

/** The cluster of a command that has no embedded one. */
export async function parseConnectionOptions(
  reader: OptionReader<typeof connectionFlags>,
  cwd: string,
): Promise<ConnectionOptions> {
  return { ...parseRoad(reader), ...(await parseKubeconfig(reader, cwd)) };
}

function parseRoad(
  reader: OptionReader<typeof connectionFlags>,
): Pick<ConnectionOptions, 'namespace' | 'transport' | 'kubectl'> {
  const transport = reader.parsed('transport', oneOf('api', 'kubectl')) ?? 'api';
  if (reader.origin('kubectl') === 'flag' && transport !== 'kubectl') {
    throw badInput('--kubectl has no effect without --transport kubectl; add it');
  }
  return {
    namespace: reader.parsed('namespace', parseNamespace),
    transport,
    kubectl: reader.parsed('kubectl', parseText) ?? 'kubectl',
  };
}

async function parseKubeconfig(
  reader: OptionReader<typeof connectionFlags>,
  cwd: string,
): Promise<Pick<ConnectionOptions, 'kubeconfig' | 'context'>> {
  const checkKubeconfig = async (file: string): Promise<string> => {
    await readInputBytes(cwd, file, longestKubeconfig);
    return resolve(cwd, file);
  };
  return {
    kubeconfig: await reader.parsedLater('kubeconfig', checkKubeconfig),
    context: reader.parsed('context', parseText),
  };
}

function isEmbedded(reader: RunOptionReader): boolean {
  if (!reader.enabled('embedded')) return false;
  return (['kubeconfig', 'context'] as const).every(
    (other) => reader.origin(other) === undefined || reader.prevails('embedded', other),
  );
}
