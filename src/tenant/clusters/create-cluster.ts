import { RunnerError } from '../../base/errors.ts';
import type { TenantCluster } from '../gateway/cluster-object.ts';
import { clusterWords } from './cluster-words.ts';
import { type Wait, waitUntilGone, waitUntilReady } from './wait-for-cluster.ts';

/**
 * Asks for the cluster and waits until it is Ready; one that is there already is waited for as it is, one that
 * is just going is waited away first.
 */
export async function createCluster(wait: Wait): Promise<TenantCluster> {
  const { api, name, say, signal } = wait;
  for (;;) {
    const came = await api.create(name, signal);
    if (came !== 'refused') {
      if (came === 'there') say(`the cluster ${name} is there already`);
      return waitUntilReady(wait);
    }
    const cluster = await readOwn(wait);
    if (cluster === null || (cluster.account !== null && cluster.account !== api.session.did)) {
      throw new RunnerError(
        'AlreadyExists',
        `the name ${name} is taken by another account of this gateway; choose another with --cluster NAME`,
      );
    }
    if (cluster.phase !== api.profile.cluster.phases.draining) return waitUntilReady(wait);
    say(
      `the cluster ${name} is just being deleted (${clusterWords(cluster)}); it is created when it is gone`,
    );
    await waitUntilGone(wait);
  }
}

/** Null also where the gateway says that it is none of ours. */
async function readOwn({ api, name, signal }: Wait): Promise<TenantCluster | null> {
  try {
    return await api.read(name, signal);
  } catch (error) {
    if (error instanceof RunnerError && error.code === 'Forbidden') return null;
    throw error;
  }
}
