import { asRunnerError } from '../../../base/errors.ts';
import { missingRights, type Right, rightName } from '../../../kube/access-review.ts';
import type { KubeApi } from '../../../kube/kube-api.ts';
import { type CommandRight, rightsOfCommands } from '../rights.ts';
import { type Check, failed, passed } from './check.ts';
import { fixOf } from './error-fix.ts';

export interface RightsQuestion {
  readonly api: KubeApi;
  /** Of the server's version. */
  readonly minor: number;
  /** Whether runs make a NetworkPolicy. */
  readonly network: boolean;
  /** Who the server takes us for, for the fix. */
  readonly user: string | undefined;
  readonly signal: AbortSignal;
}

/** One check for each right that a command needs. */
export async function checkRightsOfCommands(question: RightsQuestion): Promise<readonly Check[]> {
  const { api, minor, network, user, signal } = question;
  const wanted = rightsOfCommands(network, minor);
  try {
    const rights = wanted.map(({ right }) => right);
    const missing = new Set(await missingRights(api, api.namespace, rights, signal));
    return wanted.map((one) => rightCheck(one, missing.has(one.right), api.namespace, user));
  } catch (thrown) {
    signal.throwIfAborted();
    const error = asRunnerError(thrown);
    return [failed('rights', error.message, fixOf(error))];
  }
}

/** Pure. */
export function rightCheck(
  { right, commands }: CommandRight,
  isMissing: boolean,
  namespace: string,
  user: string | undefined,
): Check {
  const name = rightName(right);
  const need = `${commands.join(', ')} in the namespace ${namespace}`;
  return isMissing
    ? failed(name, `not permitted; needed by ${need}`, grantCommand(right, namespace, user))
    : passed(name, need);
}

/** What somebody who may do so can run. */
function grantCommand(right: Right, namespace: string, user: string | undefined): string {
  const { verb, group, resource, subresource } = right;
  const what = `${resource}${group === '' ? '' : `.${group}`}${subresource ? `/${subresource}` : ''}`;
  const role = ['knotless', verb, resource, subresource].filter(Boolean).join('-');
  return [
    `kubectl create role ${role} -n ${namespace} --verb=${verb} --resource=${what}`,
    `kubectl create rolebinding ${role} -n ${namespace} --role=${role} ${subjectFlag(user)}`,
  ].join(' && ');
}

function subjectFlag(user: string | undefined): string {
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user ?? '');
  if (account) return `--serviceaccount=${account[1]}:${account[2]}`;
  return `--user=${user === undefined ? 'USER' : `'${user.replaceAll("'", "'\\''")}'`}`;
}
