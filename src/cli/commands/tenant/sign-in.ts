import { buildCommand } from '@stricli/core';
import type { CliContext } from '../../cli-context.ts';
import type { CommandHelp } from '../../flags/command-help.ts';
import { documented } from '../../flags/command-help.ts';
import type { FlagValues } from '../../flags/flag-definition.ts';
import { gatewayAliases } from './gateway-flags.ts';
import { signInFlags } from './sign-in-flags.ts';

const help: CommandHelp = {
  usage: 'tenant sign-in [--credentials FILE | --browser | --sign-in-command CMD] [FLAG…]',
  description: `Signs in at the gateway with an atproto account, and keeps the session, 0600, in the state folder. Does nothing
where the session that is there is still good. Without --browser it goes through the pages of the account's own
authorization server, which alone gets the password, over HTTPS. Handle and password come from the credential
file, which is read and never executed, or from the variables ATP_HANDLE and ATP_PASSWORD (ATP_PDS_URL names the
account's server where the handle does not resolve).

Exit code: 0 signed in; 2 bad usage or bad credential file; 3 not signed in.`,
  examples: [
    {
      what: 'with a file that only you can read',
      command: 'knotless-runner-k8s tenant sign-in --credentials ~/.account',
    },
    {
      what: 'with a second factor, or where no password is to be kept',
      command: 'knotless-runner-k8s tenant sign-in --browser',
    },
  ],
};

const command = buildCommand<FlagValues<typeof signInFlags>, [], CliContext>({
  loader: async () => (await import('./sign-in-command.ts')).signInCommand,
  parameters: { flags: signInFlags, aliases: gatewayAliases },
  docs: { brief: 'sign in at the gateway' },
});

export const signIn = documented(command, help, signInFlags, gatewayAliases);
