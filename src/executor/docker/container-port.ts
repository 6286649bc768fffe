import { RunnerError } from '../../base/errors.ts';
import { openExec } from '../../engine/open-exec.ts';
import { type PodPort, randomNonce } from '../step-protocol/pod-port.ts';
import type { RunTarget } from './run-target.ts';

/** How long the monitor may take to tell why a container is not there or does not run. */
const explanationMs = 5_000;

/** The step protocol's way into one container, by its id. */
export function containerPort(
  { api, name, clock, observer }: RunTarget,
  { lost }: Pick<PodPort, 'lost'>,
  id: string,
  patienceMs: number,
): PodPort {
  return {
    exec: async (argv, signal) => {
      const untilLost = AbortSignal.any([signal, lost]);
      try {
        return await openExec(api, clock, id, argv, untilLost);
      } catch (error) {
        untilLost.throwIfAborted();
        if (!(error instanceof RunnerError) || !(error.code === 'NotFound' || isNotRunning(error)))
          throw error;
        await clock.sleep(explanationMs, untilLost);
        throw unexplained(name, error);
      }
    },
    lost,
    clock,
    nonce: randomNonce,
    patienceMs,
    trace: (message) => observer.trace(message),
    warn: (message) => observer.warning(message),
  };
}

/** Podman says it with another status. */
const isNotRunning = (error: RunnerError): boolean =>
  error.code === 'Conflict' || /not running|state improper|is paused/.test(error.message);

/** It is there and runs, as far as the monitor sees: paused, say, which may pass. */
const unexplained = (name: string, error: RunnerError): RunnerError =>
  error.code === 'NotFound'
    ? new RunnerError('PodDeleted', `the container ${name} is not there any more`, { cause: error })
    : new RunnerError('ConnectionLost', error.message, { cause: error, retry: true });
