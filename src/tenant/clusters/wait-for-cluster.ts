import type { Clock } from '../../base/clock.ts';
import { RunnerError } from '../../base/errors.ts';
import type { TenantCluster } from '../gateway/cluster-object.ts';
import type { GatewayApi } from '../gateway/gateway-api.ts';
import { clusterWords } from './cluster-words.ts';

export interface Wait {
  readonly api: GatewayApi;
  readonly name: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Told each change, in the gateway's words. */
  readonly say: (message: string) => void;
  readonly signal: AbortSignal;
}

const firstPauseMs = 250;
const longestPauseMs = 2_000;
/** How long a gateway may be away in mid-wait. */
const awayPatienceMs = 120_000;
/** What was Unavailable before it was asked for may come up again. */
const unavailablePatienceMs = 30_000;

/** Waits until the cluster is Ready. Rejects where the gateway gives it up, or it is deleted meanwhile. */
export async function waitUntilReady(wait: Wait): Promise<TenantCluster> {
  const { api, name, clock } = wait;
  const { ready, unavailable, draining } = api.profile.cluster.phases;
  const started = clock.now();
  let wasOther = false;
  return polled(wait, `${name} to be ${ready}`, (cluster) => {
    if (cluster === null) throw new RunnerError('NotFound', `the cluster ${name} was deleted meanwhile`);
    if (cluster.phase === ready) return cluster;
    if (cluster.phase === draining) {
      throw new RunnerError('Conflict', `the cluster ${name} is being deleted (${clusterWords(cluster)})`);
    }
    const isFinal = wasOther || clock.now() - started > unavailablePatienceMs;
    if (cluster.phase === unavailable && isFinal) {
      throw new RunnerError(
        'ReadyTimeout',
        `the gateway gave the cluster ${name} up: ${clusterWords(cluster)}; delete it with tenant delete, and create it anew`,
      );
    }
    wasOther ||= cluster.phase !== unavailable;
    return undefined;
  });
}

/** Waits until the cluster can no longer be read. */
export async function waitUntilGone(wait: Wait): Promise<void> {
  await polled(wait, `${wait.name} to be gone`, (cluster) => (cluster === null ? 'gone' : undefined));
}

async function polled<T>(
  { api, name, timeoutMs, clock, say, signal }: Wait,
  what: string,
  look: (cluster: TenantCluster | null) => T | undefined,
): Promise<T> {
  const started = clock.now();
  let lastSeen = started;
  let words = '';
  let pauseMs = firstPauseMs;
  for (;;) {
    const cluster = await readOrAway(api, name, signal, clock.now() - lastSeen);
    const now = clock.now();
    if (!(cluster instanceof RunnerError)) {
      lastSeen = now;
      const found = look(cluster);
      if (found !== undefined) return found;
    }
    const told = wordsOf(cluster);
    if (told !== words) {
      say(`waits for ${what}: ${told}`);
      words = told;
      pauseMs = firstPauseMs;
    }
    if (now - started + pauseMs > timeoutMs) {
      throw new RunnerError(
        'ReadyTimeout',
        `waited ${Math.round(timeoutMs / 1000)} s in vain for ${what}; the gateway says: ${words}; repeat the command to wait on`,
      );
    }
    await clock.sleep(pauseMs, signal);
    pauseMs = Math.min(longestPauseMs, pauseMs * 2);
  }
}

function wordsOf(cluster: TenantCluster | RunnerError | null): string {
  if (cluster instanceof RunnerError) return `${cluster.message} (asks again)`;
  return cluster === null ? 'it is not there' : clusterWords(cluster);
}

/** A gateway that is away for a while ends no wait: the error is told, and it is asked again. */
async function readOrAway(
  api: GatewayApi,
  name: string,
  signal: AbortSignal,
  awayMs: number,
): Promise<TenantCluster | RunnerError | null> {
  try {
    return await api.read(name, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RunnerError && error.retry && awayMs < awayPatienceMs) return error;
    throw error;
  }
}
