import type { OpenRequest, RunIdentity } from '../executor.ts';

/** On a run's container and network. Labels take any text, so all is exact. */
export const labels = {
  managedBy: 'app.kubernetes.io/managed-by',
  id: 'knotless-runner-k8s/run-id',
  name: 'knotless-runner-k8s/run-name',
  runner: 'knotless-runner-k8s/runner',
  /** Names only, separated by commas: what a reader of the log has to mask. */
  secrets: 'knotless-runner-k8s/secret-names',
  /** On a container that is to be left standing. */
  kept: 'knotless-runner-k8s/kept',
} as const;

export const managedBy = 'knotless-runner-k8s';

export function runLabels(run: RunIdentity): Record<string, string> {
  return {
    [labels.managedBy]: managedBy,
    [labels.id]: run.id,
    [labels.name]: run.name,
    ...(run.runner === undefined ? {} : { [labels.runner]: run.runner }),
  };
}

export function containerLabels({ run, secretNames, keep }: OpenRequest): Record<string, string> {
  return {
    ...runLabels(run),
    ...(secretNames.length === 0 ? {} : { [labels.secrets]: [...secretNames].sort().join(',') }),
    ...(keep ? { [labels.kept]: 'true' } : {}),
  };
}

/** Chooses what belongs to one run, in the form of the engine's filters. */
export const filterOfRun = (runId: string): { readonly filters: string } => ({
  filters: JSON.stringify({ label: [`${labels.id}=${runId}`] }),
});
