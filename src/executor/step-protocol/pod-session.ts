import type {
  IncomingArchive,
  OutgoingArchive,
  StepControl,
  StepOutput,
  StepRequest,
  StepVerdict,
  TransferObserver,
} from '../executor.ts';
import { ControlChannel } from './control-channel.ts';
import { fetchArchive } from './fetch-archive.ts';
import { LinkRate } from './link-rate.ts';
import type { Compression } from './packing.ts';
import type { PodPort, ReachedPort } from './pod-port.ts';
import { Reach } from './reach.ts';
import { runStep } from './run-step.ts';
import { sendArchive } from './send-archive.ts';
import { StepExecs } from './step-execs.ts';

export interface PodSessionOptions {
  readonly runId: string;
  readonly graceMs: number;
  readonly compress: Compression;
  /** Whether the place is on this machine. */
  readonly isNear: boolean;
  /** Whether an earlier process may have left a part of an upload, which then goes first. */
  readonly isUsed: boolean;
  /** Hears why the pod cannot be entered yet, while it is being opened. */
  readonly unreachable: (message: string) => void;
}

/** A pod or container that runs the boot program, spoken to by exec alone: the inside of every sandbox. */
export class PodSession implements AsyncDisposable {
  readonly #port: ReachedPort;
  readonly #options: PodSessionOptions;
  readonly #control: ControlChannel;
  readonly #execs: StepExecs;
  readonly #link: LinkRate;

  private constructor(port: ReachedPort, options: PodSessionOptions, control: ControlChannel) {
    this.#port = port;
    this.#options = options;
    this.#control = control;
    this.#link = new LinkRate({ ...options, gzip: control.greeting.gzip, clock: port.clock });
    this.#execs = new StepExecs(port);
  }

  /** Resolves once a program has run in the pod and found there all that a run needs. */
  static async open(port: PodPort, options: PodSessionOptions, signal: AbortSignal): Promise<PodSession> {
    const reached = { ...port, reach: new Reach(port, options.unreachable) };
    return new PodSession(reached, options, await ControlChannel.open(reached, signal));
  }

  /** `isUsed`: whether a part of an upload may be there, by whatever road it came. */
  send(
    archive: OutgoingArchive,
    transfer: TransferObserver,
    signal: AbortSignal,
    isUsed = this.#options.isUsed,
  ): Promise<void> {
    const options = { link: this.#link, isUsed };
    return sendArchive(this.#port, archive, options, transfer, this.#untilLost(signal));
  }

  fetch(paths: readonly string[], transfer: TransferObserver, signal: AbortSignal): Promise<IncomingArchive> {
    return fetchArchive(this.#port, paths, this.#link.packing(), transfer, this.#untilLost(signal));
  }

  runStep(step: StepRequest, output: StepOutput, control: StepControl): Promise<StepVerdict> {
    const { runId, graceMs } = this.#options;
    return runStep(
      { port: this.#port, control: this.#control, execs: this.#execs, runId, graceMs },
      step,
      output,
      control,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#execs[Symbol.dispose]();
    await this.#control[Symbol.asyncDispose]();
  }

  #untilLost(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, this.#port.lost]);
  }
}
