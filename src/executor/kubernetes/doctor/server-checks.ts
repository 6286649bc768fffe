import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { asRunnerError } from '../../../base/errors.ts';
import type { KubeApi } from '../../../kube/kube-api.ts';
import { type Check, failed, passed, warned } from './check.ts';
import { fixOf } from './error-fix.ts';

const versionSchema = z.object({ gitVersion: z.string(), minor: z.string() });

export interface ServerChecks {
  readonly checks: readonly Check[];
  /** Undefined where the server gave no answer. */
  readonly minor: number | undefined;
}

const patienceMs = 10_000;
/** Before it, `podReplacementPolicy` of a Job is not there by default. */
const oldestMinor = 29;

/** Whether the server answers, and what it is. */
export async function checkServer(api: KubeApi, clock: Clock, signal: AbortSignal): Promise<ServerChecks> {
  const started = clock.now();
  try {
    const call = { method: 'GET', path: '/version', signal, timeoutMs: patienceMs } as const;
    const { gitVersion, minor } = await api.request(call, versionSchema);
    const ms = Math.round(clock.now() - started);
    return {
      checks: [passed('reach', `${api.server} answered in ${ms} ms`), versionCheck(gitVersion, minor)],
      minor: Number.parseInt(minor, 10),
    };
  } catch (thrown) {
    signal.throwIfAborted();
    const error = asRunnerError(thrown);
    return { checks: [failed('reach', error.message, fixOf(error))], minor: undefined };
  }
}

/** Pure. */
export function versionCheck(gitVersion: string, minor: string): Check {
  const number = Number.parseInt(minor, 10);
  return number < oldestMinor
    ? warned(
        'version',
        `${gitVersion}; older than 1.${oldestMinor}, where a Job may start a second pod`,
        'have the cluster upgraded',
      )
    : passed('version', gitVersion);
}
