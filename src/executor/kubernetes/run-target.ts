import type { Clock } from '../../base/clock.ts';
import type { KubeApi } from '../../kube/kube-api.ts';
import type { Observer } from '../executor.ts';

/** Which run, where, and by what means: what the parts of this executor share. */
export interface RunTarget {
  readonly api: KubeApi;
  readonly namespace: string;
  /** Of the Job, and of the NetworkPolicy. */
  readonly name: string;
  readonly runId: string;
  readonly clock: Clock;
  readonly observer: Observer;
}
