import { RunnerError } from '../../base/errors.ts';
import type { ExecSession } from '../../base/exec-session.ts';
import { type PodPort, randomNonce } from '../step-protocol/pod-port.ts';
import { containerName } from './job-manifest.ts';
import type { RunTarget } from './run-target.ts';

/** How long the watch may take to tell why a pod is not found. */
const explanationMs = 5_000;

/** The step protocol's way into one pod, by name and container: an injected sidecar does not mislead it. */
export function podPort(
  { api, namespace, clock, observer }: RunTarget,
  { lost }: Pick<PodPort, 'lost'>,
  pod: string,
  patienceMs: number,
): PodPort {
  const exec = async (command: readonly string[], signal: AbortSignal): Promise<ExecSession> => {
    const untilLost = AbortSignal.any([signal, lost]);
    try {
      return await api.exec({ namespace, pod, container: containerName, command, signal: untilLost });
    } catch (error) {
      untilLost.throwIfAborted();
      // a container that is not there yet is a NotFound too, and passes
      if (!(error instanceof RunnerError && error.code === 'NotFound') || error.retry) throw error;
      await clock.sleep(explanationMs, untilLost);
      throw new RunnerError('PodDeleted', `the pod ${pod} is not there any more`, { cause: error });
    }
  };
  return {
    exec,
    lost,
    clock,
    nonce: randomNonce,
    patienceMs,
    trace: (message) => observer.trace(message),
    warn: (message) => observer.warning(message),
  };
}
