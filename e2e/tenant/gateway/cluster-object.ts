export type Phase = 'Initializing' | 'Ready' | 'Unavailable' | 'Draining';

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** The object as its owner is shown it. */
export interface ClusterObject {
  readonly apiVersion: 'socialweb.computer/v1alpha1';
  readonly kind: 'Cluster';
  readonly metadata: {
    readonly name: string;
    readonly creationTimestamp: string;
    readonly deletionTimestamp?: string;
    readonly finalizers: readonly string[];
  };
  readonly spec: { readonly account: string; readonly running: boolean };
  readonly status: {
    readonly phase: Phase;
    readonly URL: string;
    readonly instance: string;
    /** Absent: no node. 0: a node without a limit. Else the time at which it goes. */
    readonly nodeExpiry?: 0 | string;
    readonly conditions: readonly Condition[];
  };
}

/** Where the cluster's API is, below the front's address. */
export const clusterPath = (account: string, name: string): string =>
  `/clusters/accounts:${account.replaceAll(':', '-')}:${name}:clusters`;
