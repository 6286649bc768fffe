import { messageOf } from '../../base/errors.ts';
import type {
  Closed,
  ContainerPlace,
  IncomingArchive,
  OutgoingArchive,
  Sandbox,
  StepControl,
  StepOutput,
  StepRequest,
  StepVerdict,
  TransferObserver,
} from '../executor.ts';
import type { PodSession } from '../step-protocol/pod-session.ts';
import type { ContainerMonitor } from './container-monitor.ts';
import { removeRun } from './remove-run.ts';
import type { RunTarget } from './run-target.ts';

export interface SandboxParts {
  readonly target: RunTarget;
  readonly monitor: ContainerMonitor;
  readonly session: PodSession;
  readonly place: ContainerPlace;
  readonly keep: boolean;
}

/** A run's container, ready for steps. */
export class DockerSandbox implements Sandbox {
  readonly place: ContainerPlace;
  readonly #parts: SandboxParts;

  constructor(parts: SandboxParts) {
    this.#parts = parts;
    this.place = parts.place;
  }

  send(archive: OutgoingArchive, transfer: TransferObserver, signal: AbortSignal): Promise<void> {
    return this.#parts.session.send(archive, transfer, signal);
  }

  runStep(step: StepRequest, output: StepOutput, control: StepControl): Promise<StepVerdict> {
    return this.#parts.session.runStep(step, output, control);
  }

  fetch(paths: readonly string[], transfer: TransferObserver, signal: AbortSignal): Promise<IncomingArchive> {
    return this.#parts.session.fetch(paths, transfer, signal);
  }

  async close(signal: AbortSignal): Promise<Closed> {
    const { session, target, monitor, keep } = this.#parts;
    monitor.expectEnd();
    const ending = session[Symbol.asyncDispose]().catch((error: unknown) => {
      target.observer.trace(`closing the container's connections: ${messageOf(error)}`);
    });
    const closed = keep ? this.#kept() : await removeRun(target, signal);
    await Promise.all([ending, monitor[Symbol.asyncDispose]()]);
    return closed;
  }

  #kept(): Closed {
    const { name, docker } = this.#parts.target;
    return {
      deleted: false,
      kept: true,
      leftover:
        `the container ${name} is kept until somebody removes it; ` +
        `look inside: ${docker} exec -it ${name} sh; remove it: ${docker} rm -f -v ${name}, and its network, if it has one: ${docker} network rm ${name}`,
    };
  }
}
