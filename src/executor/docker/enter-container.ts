import { RunnerError } from '../../base/errors.ts';
import { isHere } from '../../engine/engine-address.ts';
import type { OpenRequest } from '../executor.ts';
import type { Compression } from '../step-protocol/packing.ts';
import { PodSession } from '../step-protocol/pod-session.ts';
import type { ContainerMonitor } from './container-monitor.ts';
import { ownerOf } from './container-owner.ts';
import { containerPort } from './container-port.ts';
import { DockerSandbox } from './docker-sandbox.ts';
import type { RunTarget } from './run-target.ts';

export interface Entry {
  readonly target: RunTarget;
  readonly request: OpenRequest;
  readonly compress: Compression;
  /** Whether an earlier process has been in the container. */
  readonly isUsed: boolean;
  /** How the image and the engine's machine differ. */
  readonly misfit: string | undefined;
  /** Who the container's programs run as, as it was said: empty for root. */
  readonly user: string;
}

/** Resolves when a program has run in the container, which has been started. */
export async function enterContainer(
  { target, request, compress, isUsed, misfit, user }: Entry,
  id: string,
  monitor: ContainerMonitor,
  signal: AbortSignal,
): Promise<DockerSandbox> {
  const { graceMs, orphanMs } = request.limits;
  const port = containerPort(target, monitor, id, orphanMs);
  const isNear = isHere(target.api.address);
  const options = {
    runId: request.run.id,
    graceMs,
    compress,
    isNear,
    isUsed,
    unreachable: (message: string) => target.words.see({ reason: 'Unreachable', message }),
  };
  try {
    const session = await PodSession.open(port, options, AbortSignal.any([signal, monitor.lost]));
    target.words.see(undefined);
    const place = { kind: 'container', name: target.name, id } as const;
    return new DockerSandbox({
      target,
      monitor,
      session,
      place,
      keep: request.keep,
      owner: isUsed ? undefined : () => ownerOf(user, port.exec, signal),
      packing: compress === 'auto' ? (isNear ? 'none' : 'gzip') : compress,
    });
  } catch (error) {
    if (error instanceof RunnerError && error.code === 'PodFailed' && misfit !== undefined) {
      throw new RunnerError('UnsuitableImage', `${misfit}: ${error.message}`, { cause: error });
    }
    throw error;
  }
}
