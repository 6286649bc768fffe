import { text, toggle } from '../../flags/flag-definition.ts';

const group = 'The gateway';

/** The flags that every `tenant` command has. */
export const gatewayFlags = {
  gateway: text(group, 'URL', "the gateway's address; the profile's if not given"),
  'profile-file': text(group, 'FILE', 'the gateway profile (JSON); else that of the defaults'),
  'state-dir': text(group, 'DIR', 'session and kubeconfigs; ~/.tmp/knotless-runner-k8s/tenant if not given'),
  verbose: toggle(group, 'tell requests on standard error'),
} as const;

export const gatewayAliases = { v: 'verbose' } as const;
