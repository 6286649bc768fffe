import { RunnerError } from '../../base/errors.ts';
import type { ContainerState } from './engine-objects.ts';

/** What has been heard of a container besides its state. */
export interface Hearsay {
  /** The signal that somebody had the engine send to it. */
  readonly signal: string | undefined;
  /** Whether the engine could not be asked for a while since the container was last seen to run. */
  readonly engineWasAway: boolean;
}

/** What keep-alive.sh ends with when its lease is stale. */
const staleLease = 75;

/**
 * Why the run's container has come to its end; undefined while it has not. `state` is undefined where there is no
 * such container any more. Pure.
 */
export function diagnoseEnd(
  name: string,
  state: ContainerState | undefined,
  { signal, engineWasAway }: Hearsay,
): RunnerError | undefined {
  if (!state) {
    return new RunnerError('PodDeleted', `somebody removed the container ${name} while the run needed it`);
  }
  if (state.Running) return undefined;
  if (state.Status === 'created') return undefined;
  const code = state.ExitCode ?? 'no exit code';
  if (code === staleLease) {
    return new RunnerError(
      'ConnectionLost',
      'the container had no sign of life from the runner for its --orphan-timeout and ended itself',
    );
  }
  if (signal !== undefined && !engineWasAway) {
    return new RunnerError(
      'PodDeleted',
      `somebody stopped or killed the container ${name} (signal ${signal}) while the run needed it`,
    );
  }
  if (state.OOMKilled && code === 137) {
    return new RunnerError(
      'OOMKilled',
      'the whole container was killed for want of memory; give it more with --memory',
    );
  }
  if (engineWasAway) {
    return new RunnerError(
      'NodeLost',
      `the engine was stopped or restarted, and the container ${name} ended with it (exit code ${code})`,
    );
  }
  const error = state.Error ? `: ${state.Error}` : '';
  return new RunnerError(
    'PodFailed',
    `the container ${name} ended while the run needed it, with ${code}${error}`,
  );
}
