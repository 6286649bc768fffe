import { messageOf, RunnerError } from '../../base/errors.ts';
import type {
  Closed,
  ContainerPlace,
  IncomingArchive,
  OutgoingArchive,
  Owner,
  Sandbox,
  StepControl,
  StepOutput,
  StepRequest,
  StepVerdict,
  TransferObserver,
} from '../executor.ts';
import type { Packing } from '../step-protocol/packing.ts';
import type { PodSession } from '../step-protocol/pod-session.ts';
import type { ContainerMonitor } from './container-monitor.ts';
import { putArchive } from './put-archive.ts';
import { removeRun } from './remove-run.ts';
import type { RunTarget } from './run-target.ts';

export interface SandboxParts {
  readonly target: RunTarget;
  readonly monitor: ContainerMonitor;
  readonly session: PodSession;
  readonly place: ContainerPlace;
  readonly keep: boolean;
  /** Whose the checkout is to be; undefined where an earlier process may have sent it. */
  readonly owner: (() => Promise<Owner>) | undefined;
  readonly packing: Packing;
}

/** A run's container, ready for steps. */
export class DockerSandbox implements Sandbox {
  readonly place: ContainerPlace;
  readonly #parts: SandboxParts;

  constructor(parts: SandboxParts) {
    this.#parts = parts;
    this.place = parts.place;
  }

  /** By the engine's own road for archives, which is the fastest, and if that breaks by the pod's. */
  async send(archive: OutgoingArchive, transfer: TransferObserver, signal: AbortSignal): Promise<void> {
    const { session, target, monitor, place, owner, packing } = this.#parts;
    if (!owner || place.id === null) return await session.send(archive, transfer, signal);
    const untilLost = AbortSignal.any([signal, monitor.lost]);
    try {
      const road = { target, id: place.id, owner: await owner(), packing };
      await putArchive(road, archive, transfer, untilLost);
    } catch (error) {
      untilLost.throwIfAborted();
      if (!(error instanceof RunnerError && error.retry)) throw error;
      target.observer.trace(`the upload broke, starting it over: ${error.message}`);
      await session.send(archive, transfer, signal, true);
    }
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
