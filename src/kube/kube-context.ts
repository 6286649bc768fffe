import { badInput } from '../base/errors.ts';
import type { Defined, KubeCluster, KubeUser } from './kube-config.ts';
import type { LoadedKubeConfig } from './kube-config-files.ts';

export interface ChosenContext {
  readonly clusterName: string;
  readonly cluster: Defined<KubeCluster>;
  readonly userName: string;
  /** Undefined where the context names no user. */
  readonly user: Defined<KubeUser> | undefined;
  readonly namespace: string | undefined;
}

/** The context that is wanted, or else the current one, with what it names. Throws BadInput. */
export function chooseContext(loaded: LoadedKubeConfig, wanted: string | undefined): ChosenContext {
  const { config } = loaded;
  const where = `the kubeconfig ${loaded.files.join(', ')}`;
  const name = wanted || config.currentContext;
  if (!name) {
    throw badInput(
      `${where} has no current context; choose one with --context (${listed(config.contexts)}) or kubectl config use-context`,
    );
  }
  const context = config.contexts.get(name);
  if (!context) throw badInput(`${where} has no context "${name}"; it has ${listed(config.contexts)}`);
  const { cluster: clusterName = '', user: userName = '', namespace } = context.value;
  const cluster = config.clusters.get(clusterName);
  if (!cluster) {
    throw badInput(
      `the context "${name}" in ${context.file} is for the cluster "${clusterName}", which ${where} does not define; it has ${listed(config.clusters)}`,
    );
  }
  const user = config.users.get(userName);
  if (!user && userName !== '') {
    throw badInput(
      `the context "${name}" in ${context.file} is for the user "${userName}", which ${where} does not define; it has ${listed(config.users)}`,
    );
  }
  return { clusterName, cluster, userName, user, namespace };
}

function listed(entries: ReadonlyMap<string, unknown>): string {
  const names = [...entries.keys()];
  if (names.length === 0) return 'none';
  return names.length > 10 ? `${names.slice(0, 10).join(', ')}, … (${names.length})` : names.join(', ');
}
