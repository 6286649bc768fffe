import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { RunnerError } from '../../base/errors.ts';
import { isAllowed, missingRights, type Right, rightName } from '../../kube/access-review.ts';
import type { KubeApi } from '../../kube/kube-api.ts';

const anything = z.unknown();

export interface ProofRequest {
  /** With the new token. */
  readonly api: KubeApi;
  /** All that it must be able to do in the API's namespace. */
  readonly rights: readonly Right[];
  /** A Job as a run would make it. */
  readonly job: object;
  readonly clock: Clock;
  readonly tell: (message: string) => void;
  readonly signal: AbortSignal;
}

/** The parts of an API server hear of new rights one after the other. */
const patienceMs = 15_000;
const pauseMs = 250;
/** A wait that a person need not hear of. */
const quietMs = 1_000;

/**
 * Proves by questions of access and by calls that the token can do what a runner does, and cannot read nodes, secrets
 * and other namespaces. Rejects with Forbidden where it can do too little, with Conflict where it can do too much.
 */
export async function proveScope(request: ProofRequest): Promise<void> {
  const { clock, tell, signal } = request;
  const started = clock.now();
  let isTold = false;
  for (;;) {
    try {
      const proven = [...(await proveRights(request)), ...(await proveLimits(request))];
      for (const line of proven) tell(line);
      return;
    } catch (error) {
      signal.throwIfAborted();
      const mayCome = error instanceof RunnerError && early.has(error.code);
      const waitedMs = clock.now() - started;
      if (!mayCome || waitedMs >= patienceMs) throw error;
      if (waitedMs >= quietMs && !isTold) tell(`not yet, tries for ${patienceMs / 1000} s: ${error.message}`);
      isTold ||= waitedMs >= quietMs;
    }
    await clock.sleep(pauseMs, signal);
  }
}

const early: ReadonlySet<string> = new Set(['Unauthorized', 'Forbidden', 'Conflict']);

async function proveRights({ api, rights, job, signal }: ProofRequest): Promise<readonly string[]> {
  const { namespace } = api;
  const missing = new Set((await missingRights(api, namespace, rights, signal)).map(rightName));
  const createJobs = { group: 'batch', resource: 'jobs', verb: 'create' };
  if (!(await isAllowed(api, namespace, createJobs, signal))) missing.add(rightName(createJobs));
  if (missing.size > 0) {
    throw new RunnerError(
      'Forbidden',
      `the new token may not ${[...missing].join(', ')} in the namespace ${namespace}, though its Role says so; something else in the cluster forbids it`,
    );
  }
  const path = `/apis/batch/v1/namespaces/${namespace}/jobs`;
  await api.request({ method: 'POST', path, query: { dryRun: 'All' }, body: job, signal }, anything);
  return [`the token can create Jobs in the namespace ${namespace} (tried with dryRun=All)`];
}

interface Limit {
  readonly what: string;
  readonly namespace: string | undefined;
  readonly rights: readonly Right[];
  /** A call that takes one of the rights. */
  readonly path: string;
}

function limitsOf(namespace: string): readonly Limit[] {
  const other = namespace === 'kube-system' ? 'default' : 'kube-system';
  const reading = (group: string, resource: string): readonly Right[] =>
    ['get', 'list', 'watch'].map((verb) => ({ group, resource, verb }));
  return [
    {
      what: 'read nodes',
      namespace: undefined,
      rights: reading('', 'nodes'),
      path: '/api/v1/nodes',
    },
    {
      what: `read secrets in the namespace ${namespace}`,
      namespace,
      rights: reading('', 'secrets'),
      // one that is not there: nothing is read even where the call is let through
      path: `/api/v1/namespaces/${namespace}/secrets/knotless-no-such-secret`,
    },
    {
      what: `read the namespace ${other}`,
      namespace: other,
      rights: [...reading('', 'pods'), ...reading('', 'secrets'), ...reading('batch', 'jobs')],
      path: `/api/v1/namespaces/${other}/pods`,
    },
  ];
}

async function proveLimits({ api, signal }: ProofRequest): Promise<readonly string[]> {
  const limits = limitsOf(api.namespace);
  for (const { what, namespace, rights, path } of limits) {
    let isForbidden = await isRefused(api, path, signal);
    for (const right of rights) isForbidden &&= !(await isAllowed(api, namespace, right, signal));
    if (isForbidden) continue;
    throw new RunnerError(
      'Conflict',
      `the new token can ${what}, which its Role does not give: another binding in the cluster does, for this ServiceAccount or for all of them (system:serviceaccounts, system:authenticated); see kubectl get rolebindings,clusterrolebindings -A -o wide. No kubeconfig was written`,
    );
  }
  return limits.map(({ what }) => `the token cannot ${what} (tried)`);
}

async function isRefused(api: KubeApi, path: string, signal: AbortSignal): Promise<boolean> {
  try {
    await api.request({ method: 'GET', path, query: { limit: '1' }, signal }, anything);
    return false;
  } catch (error) {
    if (!(error instanceof RunnerError)) throw error;
    if (error.code === 'Forbidden') return true;
    if (error.code === 'NotFound') return false;
    throw error;
  }
}
