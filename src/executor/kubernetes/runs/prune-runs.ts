import { messageOf, RunnerError } from '../../../base/errors.ts';
import type { KubeApi } from '../../../kube/kube-api.ts';
import { paths } from '../object-paths.ts';
import { anything, jobSchema, networkPolicySchema, podSchema } from '../objects.ts';
import { deleteOptions } from '../remove-run.ts';
import { unlessGone } from './delete-job.ts';
import { findLeftovers, type Leftover } from './leftovers.ts';
import { listObjects, ownedBy } from './list-objects.ts';

export interface FoundLeftovers {
  readonly leftovers: readonly Leftover[];
  /** What could not be looked at. */
  readonly warnings: readonly string[];
}

/** What runs left over in the API's namespace. Changes nothing. */
export async function listLeftovers(api: KubeApi, signal: AbortSignal): Promise<FoundLeftovers> {
  const { namespace } = api;
  const warnings: string[] = [];
  const jobs = await listObjects(api, paths.jobs(namespace), jobSchema, ownedBy(), signal);
  const policyPath = paths.networkPolicies(namespace);
  const networkPolicies = await listObjects(api, policyPath, networkPolicySchema, ownedBy(), signal).catch(
    (error: unknown) => {
      if (!(error instanceof RunnerError && error.code === 'Forbidden')) throw error;
      warnings.push(`NetworkPolicies are left out: ${error.message}`);
      return [];
    },
  );
  const pods = await listObjects(api, paths.pods(namespace), podSchema, ownedBy(), signal);
  return { leftovers: findLeftovers({ jobs, networkPolicies, pods }), warnings };
}

/** Removes just this object, with what it owns. Resolves to why that did not work, or to null. */
export async function removeLeftover(
  api: KubeApi,
  { kind, name, uid }: Leftover,
  signal: AbortSignal,
): Promise<string | null> {
  const { namespace } = api;
  const path = kind === 'Job' ? paths.job(namespace, name) : paths.networkPolicy(namespace, name);
  const body = deleteOptions(uid);
  try {
    await unlessGone(() => api.request({ method: 'DELETE', path, body, signal }, anything));
    return null;
  } catch (error) {
    signal.throwIfAborted();
    return messageOf(error);
  }
}
