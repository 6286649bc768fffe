import { z } from 'zod';
import { RunnerError } from '../../base/errors.ts';
import { missingRights, type Right, rightName } from '../../kube/access-review.ts';
import type { KubeApi } from '../../kube/kube-api.ts';

const jobs = { group: 'batch', resource: 'jobs' };
const pods = { group: '', resource: 'pods' };
const exec = { ...pods, subresource: 'exec' };
const events = { group: '', resource: 'events' };
const networkPolicies = { group: 'networking.k8s.io', resource: 'networkpolicies' };

/** A right, and the commands that need it. */
export interface CommandRight {
  readonly right: Right;
  readonly commands: readonly Command[];
}

type Command = 'run' | 'attach' | 'ls' | 'cancel' | 'prune' | 'doctor';

/**
 * All that this program does with a cluster, by either transport. A run asks for its part beforehand, doctor has a
 * line for each, and a scoped kubeconfig may do just this.
 */
export const rightsOfRunner: readonly CommandRight[] = [
  ...needs(jobs, {
    create: ['run'],
    get: ['run', 'attach', 'cancel'],
    list: ['run', 'attach', 'ls', 'prune'],
    watch: ['run', 'attach'],
    patch: ['cancel'],
    delete: ['run', 'cancel', 'prune'],
  }),
  ...needs(pods, {
    get: ['run', 'attach'], // kubectl exec looks at the pod first
    list: ['run', 'attach', 'ls', 'cancel', 'prune'],
    watch: ['run', 'attach'],
    create: ['doctor'], // with dryRun=All
  }),
  ...needs(exec, { get: ['run', 'attach'], create: ['run', 'attach'] }),
  ...needs(events, { list: ['run', 'attach', 'ls'], watch: ['run', 'attach'] }),
  ...needs(networkPolicies, { create: ['run'], list: ['prune'], delete: ['run', 'prune'] }),
];

function needs(
  resource: Omit<Right, 'verb'>,
  verbs: Readonly<Record<string, readonly Command[]>>,
): readonly CommandRight[] {
  return Object.entries(verbs).map(([verb, commands]) => ({ right: { ...resource, verb }, commands }));
}

const versionSchema = z.object({ major: z.string(), minor: z.string() });

/** From this minor version on, an exec by WebSocket (a GET) asks for `create` as well. */
const execNeedsCreateFrom = 35;

/** Asks, before anything is made, whether the caller may do all that a run does. Throws `Forbidden` naming what it may not. */
export async function checkRights(api: KubeApi, network: boolean, signal: AbortSignal): Promise<void> {
  const ofRun = rightsOfRunner.filter(({ commands }) => commands.includes('run'));
  const rights = ofRun.map(({ right }) => right).filter((right) => network || !isOfNetwork(right));
  const [missing, version] = await Promise.all([
    missingRights(api, api.namespace, rights, signal),
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

/** All rights without which a command fails on a server of this minor version. Pure. */
export function rightsOfCommands(network: boolean, minor: number): readonly CommandRight[] {
  return rightsOfRunner
    .map(({ right, commands }) => ({
      right,
      commands: commands.filter((one) => needsIt(one, right, network)),
    }))
    .filter(({ right, commands }) => commands.length > 0 && isAskedFor(right, minor));
}

/** Doctor does without what it may not do. */
const needsIt = (command: Command, right: Right, network: boolean): boolean =>
  command !== 'doctor' && (command !== 'run' || network || !isOfNetwork(right));

const isOfNetwork = ({ resource }: Right): boolean => resource === networkPolicies.resource;

const isAskedFor = ({ subresource, verb }: Right, minor: number): boolean =>
  subresource !== 'exec' || verb !== 'create' || minor >= execNeedsCreateFrom;
