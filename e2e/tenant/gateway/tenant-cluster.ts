import { randomBytes, randomUUID } from 'node:crypto';
import type { Backing, RunningBacking } from './backing.ts';
import type { ClusterObject, Condition, Phase } from './cluster-object.ts';

/** One tenant's cluster, from its creation to its end. */
export class TenantCluster {
  readonly name: string;
  readonly account: string;
  /** What the admin kubeconfig signs in with. */
  readonly adminToken = randomBytes(32).toString('base64url');
  readonly #created = new Date();
  readonly #instance = `tenant-${randomUUID()}`;
  readonly #url: string;
  readonly #starting = new AbortController();
  #phase: Phase = 'Initializing';
  #conditions: readonly Condition[] = [
    condition('ControlPlaneReady', 'False', 'Starting', 'the control plane is coming up'),
  ];
  #deleted: Date | undefined;
  #backing: RunningBacking | undefined;
  #coming: Promise<void>;

  constructor(name: string, account: string, url: string, backing: Backing) {
    this.name = name;
    this.account = account;
    this.#url = url;
    this.#coming = this.#start(backing);
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** Where its API is, once it is Ready. */
  get backing(): RunningBacking | undefined {
    return this.#phase === 'Ready' ? this.#backing : undefined;
  }

  async #start(backing: Backing): Promise<void> {
    try {
      this.#backing = await backing(this.name, this.#starting.signal);
      if (this.#phase !== 'Initializing') return;
      this.#phase = 'Ready';
      this.#conditions = [condition('ControlPlaneReady', 'True', 'Serving', 'the control plane serves')];
    } catch (error) {
      if (this.#phase !== 'Initializing') return;
      this.#phase = 'Unavailable';
      this.#conditions = [condition('ControlPlaneReady', 'False', 'Failed', String(error))];
    }
  }

  /** Does what the finalizer stands for; resolves when the object may go. */
  async drain(): Promise<void> {
    this.#deleted = new Date();
    this.#phase = 'Draining';
    this.#conditions = [
      condition('TornDown', 'False', 'NodeDraining', 'waiting for the node to be drained and returned'),
    ];
    this.#starting.abort();
    await this.#coming;
    await this.#backing?.[Symbol.asyncDispose]();
  }

  async show(): Promise<ClusterObject> {
    const node = await this.backing?.node();
    return {
      apiVersion: 'socialweb.computer/v1alpha1',
      kind: 'Cluster',
      metadata: {
        name: this.name,
        creationTimestamp: this.#created.toISOString(),
        ...(this.#deleted && { deletionTimestamp: this.#deleted.toISOString() }),
        finalizers: ['socialweb.computer/teardown'],
      },
      spec: { account: this.account, running: true },
      status: {
        phase: this.#phase,
        URL: this.#url,
        instance: this.#instance,
        ...(node && { nodeExpiry: node.expiry }),
        conditions: this.#conditions,
      },
    };
  }
}

const condition = (
  type: string,
  status: Condition['status'],
  reason: string,
  message: string,
): Condition => ({ type, status, reason, message });
