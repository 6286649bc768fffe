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
  const wanted = missing.filter((right) => isAskedFor(right, minor));
  if (wanted.length === 0) return;
  throw new RunnerError(
    'Forbidden',
    `this kubeconfig's user may not ${wanted.map(rightName).join(', ')} in the namespace ${api.namespace}, which a run needs; nothing was created`,
  );
}

const isAskedFor = ({ subresource, verb }: Right, minor: number): boolean =>
  subresource !== 'exec' || verb !== 'create' || minor >= execNeedsCreateFrom;

/** A right, and the commands that need it. */
export interface CommandRight {
  readonly right: Right;
  readonly commands: readonly string[];
}

/** All rights that the commands for runs need of a server of this minor version. Pure. */
export function rightsOfCommands(network: boolean, minor: number): readonly CommandRight[] {
  const needs: Readonly<Record<string, readonly Right[]>> = {
    run: rightsOfRun(network).filter((right) => isAskedFor(right, minor)),
    ls: [
      { ...jobs, verb: 'list' },
      { ...pods, verb: 'list' },
    ],
    cancel: [...['get', 'patch', 'delete'].map((verb) => ({ ...jobs, verb })), { ...pods, verb: 'list' }],
    prune: [
      ...['list', 'delete'].map((verb) => ({ ...jobs, verb })),
      { ...pods, verb: 'list' },
      ...['list', 'delete'].map((verb) => ({ ...networkPolicies, verb })),
    ],
  };
  const found = new Map<string, { right: Right; commands: string[] }>();
  for (const [command, rights] of Object.entries(needs)) {
    for (const right of rights) {
      const known = found.get(rightName(right)) ?? { right, commands: [] };
      known.commands.push(command);
      found.set(rightName(right), known);
    }
  }
  return [...found.values()];
}

function rightsOfRun(network: boolean): Right[] {
  return [
    ...['create', 'get', 'list', 'watch', 'delete'].map((verb) => ({ ...jobs, verb })),
    ...['get', 'list', 'watch'].map((verb) => ({ ...pods, verb })),
    ...['get', 'create'].map((verb) => ({ ...exec, verb })),
    ...['list', 'watch'].map((verb) => ({ ...events, verb })),
    ...(network ? ['create', 'delete'].map((verb) => ({ ...networkPolicies, verb })) : []),
  ];
}
