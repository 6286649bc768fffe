import { messageOf } from '../../base/errors.ts';
import type {
  Closed,
  IncomingArchive,
  KubernetesPlace,
  OpenRequest,
  OutgoingArchive,
  Sandbox,
  StepControl,
  StepOutput,
  StepRequest,
  StepVerdict,
  TransferObserver,
} from '../executor.ts';
import type { PodSession } from '../step-protocol/pod-session.ts';
import { activeDeadlineSeconds } from './job-manifest.ts';
import type { JobObject } from './objects.ts';
import type { PodMonitor } from './pod-monitor.ts';
import { removeRun } from './remove-run.ts';
import type { RunTarget } from './run-target.ts';

export interface SandboxParts {
  readonly target: RunTarget;
  readonly monitor: PodMonitor;
  readonly session: PodSession;
  readonly request: OpenRequest;
  readonly place: KubernetesPlace;
  readonly job: JobObject;
  /** Whether there is a NetworkPolicy. */
  readonly network: boolean;
}

/** A run's Job and pod, ready for steps. */
export class KubernetesSandbox implements Sandbox {
  readonly place: KubernetesPlace;
  readonly #target: RunTarget;
  readonly #monitor: PodMonitor;
  readonly #session: PodSession;
  readonly #request: OpenRequest;
  readonly #network: boolean;
  /** The cluster's date. */
  readonly #madeAt: Date;

  constructor({ target, monitor, session, request, place, job, network }: SandboxParts) {
    this.#target = target;
    this.#monitor = monitor;
    this.#session = session;
    this.#request = request;
    this.place = place;
    this.#network = network;
    this.#madeAt = new Date(job.metadata.creationTimestamp ?? target.clock.date());
  }

  send(archive: OutgoingArchive, transfer: TransferObserver, signal: AbortSignal): Promise<void> {
    return this.#session.send(archive, transfer, signal);
  }

  runStep(step: StepRequest, output: StepOutput, control: StepControl): Promise<StepVerdict> {
    return this.#session.runStep(step, output, control);
  }

  fetch(paths: readonly string[], transfer: TransferObserver, signal: AbortSignal): Promise<IncomingArchive> {
    return this.#session.fetch(paths, transfer, signal);
  }

  async close(signal: AbortSignal): Promise<Closed> {
    const ending = this.#session[Symbol.asyncDispose]().catch((error: unknown) => {
      this.#target.observer.trace(`closing the pod's connections: ${messageOf(error)}`);
    });
    const closed = this.#request.keep
      ? this.#kept()
      : await removeRun(this.#target, this.#monitor, this.#network, signal);
    await Promise.all([ending, this.#monitor[Symbol.asyncDispose]()]);
    return closed;
  }

  #kept(): Closed {
    const { namespace, name } = this.#target;
    const until = new Date(this.#madeAt.getTime() + activeDeadlineSeconds(this.#request) * 1000);
    return {
      deleted: false,
      kept: true,
      leftover:
        `the Job ${namespace}/${name} is kept until about ${until.toISOString()}; ` +
        `look inside: kubectl exec -it -n ${namespace} ${this.place.pod} -c run -- sh; remove it: kubectl delete job ${name} -n ${namespace}`,
    };
  }
}
