import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { asRunnerError, type RunnerError } from '../../base/errors.ts';
import type { ExecSession, OpenExec } from '../../base/exec-session.ts';
import { execOf, type Program } from './programs.ts';
import type { Reach } from './reach.ts';

/** All that the step protocol needs of the place it works in. */
export interface PodPort {
  readonly exec: OpenExec;
  /** Aborted, with the RunnerError that says why, once the place is known to be gone. */
  readonly lost: AbortSignal;
  readonly clock: Clock;
  /** A fresh random text of letters and digits, not to be guessed. */
  readonly nonce: () => string;
  readonly trace: (message: string) => void;
  readonly warn: (message: string) => void;
  /** How long to try to reach the place again before it counts as lost, in milliseconds. */
  readonly patienceMs: number;
}

/** A `nonce` of a port. */
export const randomNonce = (): string => randomBytes(16).toString('hex');

/** A port with what is known of the pod's being reached. */
export interface ReachedPort extends PodPort {
  readonly reach: Reach;
}

const pausesMs = [50, 100, 200, 500, 1000, 2000, 5000];

/**
 * Opens an exec of `program`, again and again for as long as the place may still be reached. Nothing has run
 * when an opening failed, so this never runs anything twice.
 */
export async function openPatiently(
  port: ReachedPort,
  program: Program,
  signal: AbortSignal,
): Promise<ExecSession> {
  const began = port.clock.now();
  for (let attempt = 0; ; attempt++) {
    try {
      return await port.exec(execOf(program), signal);
    } catch (thrown) {
      signal.throwIfAborted();
      const error = asRunnerError(thrown, 'ConnectionLost');
      const ownPauseMs = pausesMs[Math.min(attempt, pausesMs.length - 1)] ?? 5000;
      const pauseMs = Math.max(error.retryAfterMs ?? 0, ownPauseMs);
      if (!mayPass(error) || port.clock.now() - began + pauseMs > port.patienceMs) throw error;
      port.reach.failed(error.message);
      port.trace(`exec of ${program} failed, again in ${pauseMs / 1000} s: ${error.message}`);
      await port.clock.sleep(pauseMs, signal);
    }
  }
}

/**
 * The same; what was opened outlives `signal`, which is of the opening alone. (An exec ends with the signal it was
 * opened with.)
 */
export async function openLasting(
  port: ReachedPort,
  program: Program,
  signal: AbortSignal,
): Promise<ExecSession> {
  signal.throwIfAborted();
  const lifetime = new AbortController();
  const onAbort = (): void => lifetime.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await openPatiently(port, program, lifetime.signal);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Credentials are renewed and control planes restart while a run goes on: neither ends it. */
const mayPass = (error: RunnerError): boolean => error.retry || error.code === 'Unauthorized';
