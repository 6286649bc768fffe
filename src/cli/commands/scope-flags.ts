import { text, textOr, toggle } from '../flags/flag-definition.ts';
import { clusterGroup, connectionFlags } from './connection-flags.ts';

const account = 'The account';
const what = 'Instead of making it';
const comesOut = 'What comes out';

/** The flags of `kubeconfig scope`, in the order of the help. */
export const scopeFlags = {
  'service-account': textOr(
    'knotless-runner',
    account,
    'NAME',
    'the ServiceAccount, and its Role and RoleBinding',
  ),
  duration: textOr('24h', account, 'TIME', 'how long the token is to last: 10m at least; 90m, 24h'),
  'create-namespace': toggle(account, 'make the namespace where it is missing'),

  renew: toggle(what, 'get a new token only; nothing is made or changed on the cluster'),
  revoke: toggle(what, 'delete the account, with which all its tokens end, and the kubeconfig'),

  output: text(
    comesOut,
    'FILE',
    'the new kubeconfig; ~/.tmp/knotless-runner-k8s/tenant/NAME.kubeconfig.yaml if not given',
  ),

  ...connectionFlags,
  kubeconfig: text(clusterGroup, 'FILE', "an admin's kubeconfig; else KUBECONFIG, ~/.kube/config"),
  namespace: text(clusterGroup, 'NAME', "the runner's namespace; the context's if not given"),
  verbose: toggle(clusterGroup, 'tell requests and retries on standard error'),
} as const;

export const scopeAliases = { n: 'namespace', o: 'output', v: 'verbose' } as const;
