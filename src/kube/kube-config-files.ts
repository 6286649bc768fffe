import { readFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { badInput } from '../base/errors.ts';
import { errorCodeOf } from '../base/system-error.ts';
import { type KubeConfig, mergeKubeConfigs, parseKubeConfig } from './kube-config.ts';

export interface KubeConfigPlace {
  /** `--kubeconfig`: this file alone, and it must exist. */
  readonly explicitFile?: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly homeFolder: string;
}

export interface LoadedKubeConfig {
  readonly config: KubeConfig;
  /** The files that were found, as messages name them. */
  readonly files: readonly string[];
}

/** Where kubectl would look, in its order. */
export function kubeConfigCandidates(place: KubeConfigPlace): readonly string[] {
  if (place.explicitFile !== undefined) return [place.explicitFile];
  const listed = place.environment.KUBECONFIG;
  if (!listed) return [join(place.homeFolder, '.kube', 'config')];
  return [...new Set(listed.split(delimiter))].filter((file) => file !== '');
}

/** Null where no kubeconfig exists at all. Throws BadInput for a file that cannot be read or parsed. */
export async function loadKubeConfig(place: KubeConfigPlace): Promise<LoadedKubeConfig | null> {
  const files: string[] = [];
  const configs: KubeConfig[] = [];
  for (const candidate of kubeConfigCandidates(place)) {
    const file = resolve(candidate);
    const source = await readKubeConfig(file, place.explicitFile !== undefined);
    if (source === null) continue;
    files.push(file);
    configs.push(parseKubeConfig(source, file));
  }
  return files.length === 0 ? null : { config: mergeKubeConfigs(configs), files };
}

async function readKubeConfig(file: string, mustExist: boolean): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === 'ENOENT' && !mustExist) return null;
    if (code === 'ENOENT') throw badInput(`the kubeconfig ${file} does not exist`, error);
    if (code === 'EISDIR') throw badInput(`the kubeconfig ${file} is a folder; name the file in it`, error);
    throw badInput(`the kubeconfig ${file} cannot be read (${code}); check its permissions`, error);
  }
}
