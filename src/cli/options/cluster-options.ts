import { resolve } from 'node:path';
import { badInput } from '../../base/errors.ts';
import { readInputBytes } from './input-files.ts';
import { parseNamespace } from './pod-values.ts';
import type { RunOptionReader } from './run-option-reader.ts';
import type { ClusterOptions } from './run-options.ts';
import { oneOf, parseText } from './scalars.ts';

const longestKubeconfig = 64 * 1024 * 1024;

export async function parseClusterOptions(reader: RunOptionReader, cwd: string): Promise<ClusterOptions> {
  const transport = reader.parsed('transport', oneOf('api', 'kubectl')) ?? 'api';
  if (reader.origin('kubectl') === 'flag' && transport !== 'kubectl') {
    throw badInput('--kubectl has no effect without --transport kubectl; add it');
  }
  const embedded = isEmbedded(reader);
  const checkKubeconfig = async (file: string): Promise<string> => {
    await readInputBytes(cwd, file, longestKubeconfig);
    return resolve(cwd, file);
  };
  return {
    embedded,
    kubeconfig: embedded ? undefined : await reader.parsedLater('kubeconfig', checkKubeconfig),
    context: embedded ? undefined : reader.parsed('context', parseText),
    namespace: reader.parsed('namespace', parseNamespace),
    transport,
    kubectl: reader.parsed('kubectl', parseText) ?? 'kubectl',
  };
}

function isEmbedded(reader: RunOptionReader): boolean {
  if (!reader.enabled('embedded')) return false;
  return (['kubeconfig', 'context'] as const).every(
    (other) => reader.origin(other) === undefined || reader.prevails('embedded', other),
  );
}
