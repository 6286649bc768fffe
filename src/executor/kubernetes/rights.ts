import { z } from 'zod';
import { RunnerError } from '../../base/errors.ts';
import { missingRights, type Right, rightName } from '../../kube/access-review.ts';
import type { KubeApi } from '../../kube/kube-api.ts';

const jobs = { group: 'batch', resource: 'jobs' };
const pods = { group: '', resource: 'pods' };
const exec = { ...pods, subresource: 'exec' };
const events = { group: '', resource: 'events' };
const networkPolicies = { group: 'networking.k8s.io', resource: 'networkpolicies' };

const versionSchema = z.object({ major: z.string(), minor: z.string() });

/** From this minor version on, an exec by WebSocket (a GET) asks for `create` as well. */
const execNeedsCreateFrom = 35;

/** Asks, before anything is made, whether the caller may do all that a run does. Throws `Forbidden` naming what it may not. */
export async function checkRights(api: KubeApi, network: boolean, signal: AbortSignal): Promise<void> {
  const [missing, version] = await Promise.all([
    missingRights(api, api.namespace, rightsOfRun(network), signal),
    api.request({ method: 'GET', path: '/version', signal }, versionSchema),
  ]);
  const minor = Number.parseInt(version.minor, 10);
  const wanted = missing.filter((right) => {
    const onlyLater = right.subresource === 'exec' && right.verb === 'create';
    return !onlyLater || minor >= execNeedsCreateFrom;
  });
  if (wanted.length === 0) return;
  throw new RunnerError(
    'Forbidden',
    `this kubeconfig's user may not ${wanted.map(rightName).join(', ')} in the namespace ${api.namespace}, which a run needs; nothing was created`,
  );
}

function rightsOfRun(network: boolean): Right[] {
  return [
    ...['create', 'get', 'delete'].map((verb) => ({ ...jobs, verb })),
    ...['get', 'list', 'watch'].map((verb) => ({ ...pods, verb })),
    ...['get', 'create'].map((verb) => ({ ...exec, verb })),
    ...['list', 'watch'].map((verb) => ({ ...events, verb })),
    ...(network ? ['create', 'delete'].map((verb) => ({ ...networkPolicies, verb })) : []),
  ];
}
