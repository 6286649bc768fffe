import { createHash } from 'node:crypto';

/** A longer digest, for where people do not read it. */
export const labelDigestOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 32);

export const labels = {
  managedBy: 'app.kubernetes.io/managed-by',
  /** The run's id. */
  run: 'knotless-runner-k8s/run',
  /** A digest of the run's name. */
  name: 'knotless-runner-k8s/name',
  /** A digest of the runner's DID. */
  runner: 'knotless-runner-k8s/runner',
} as const;

/** Chooses the objects of one run. */
export const selectorOfRun = (runId: string): { readonly labelSelector: string } => ({
  labelSelector: `${labels.run}=${runId}`,
});

export const annotations = {
  name: 'knotless-runner-k8s/run-name',
  runner: 'knotless-runner-k8s/runner',
  id: 'knotless-runner-k8s/run-id',
  /** Names only, separated by commas: what a reader of the log has to mask. */
  secrets: 'knotless-runner-k8s/secret-names',
  /** On a Job that is being cancelled: who did it. */
  cancelledBy: 'knotless-runner-k8s/cancelled-by',
  /** The answer of its runner: how many seconds it takes at most until it deletes the Job. */
  endsWithin: 'knotless-runner-k8s/ends-within',
} as const;

export const managedBy = 'knotless-runner-k8s';
