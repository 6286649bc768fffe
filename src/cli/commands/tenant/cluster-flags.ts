import { text, textOr } from '../../flags/flag-definition.ts';
import { gatewayFlags } from './gateway-flags.ts';

const group = 'The cluster';

const wait = textOr('20m', group, 'TIME', 'how long to wait for the gateway: 90s, 20m');

/** The flags of `tenant create`, `kubeconfig` and `delete` in the order of the help. */
export const clusterFlags = {
  cluster: textOr('knotless-poc', group, 'NAME', "the cluster's name"),
  'wait-timeout': wait,
  ...gatewayFlags,
} as const;

/** The flags of `tenant status`. */
export const statusFlags = {
  cluster: text(group, 'NAME', 'this cluster only; all of the account if not given'),
  output: textOr('table', group, 'table|json', 'for people, or for programs'),
  ...gatewayFlags,
} as const;

export const statusAliases = { o: 'output', v: 'verbose' } as const;
