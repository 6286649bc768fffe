import { text, toggle } from '../../flags/flag-definition.ts';
import { gatewayFlags } from './gateway-flags.ts';

const group = 'The account';

/** The flags of `tenant sign-in` in the order of the help. */
export const signInFlags = {
  credentials: text(
    group,
    'FILE',
    'lines as export ATP_HANDLE="…", export ATP_PASSWORD=\'…\'; else the variables',
  ),
  browser: toggle(group, 'sign in with a browser of this machine; no password is needed here'),
  'sign-in-command': text(group, 'CMD', 'a shell command that signs in and prints NAME=VALUE of the cookie'),
  ...gatewayFlags,
} as const;
