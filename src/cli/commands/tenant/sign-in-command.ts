import { randomBytes } from 'node:crypto';
import { resolveTxt } from 'node:dns/promises';
import { resolve } from 'node:path';
import { RunnerError } from '../../../base/errors.ts';
import {
  completeCredentials,
  type GivenCredentials,
  readCredentials,
} from '../../../tenant/credentials/account-credentials.ts';
import { concealer } from '../../../tenant/credentials/conceal.ts';
import { signInByBrowser } from '../../../tenant/sign-in/browser-sign-in.ts';
import { signInHeadless } from '../../../tenant/sign-in/headless-sign-in.ts';
import { signInByCommand } from '../../../tenant/sign-in/own-command.ts';
import type { Session } from '../../../tenant/sign-in/session.ts';
import { stillSignedIn } from '../../../tenant/sign-in/still-signed-in.ts';
import { readSession, sessionPath, writeSession } from '../../../tenant/state/session-file.ts';
import { preparePrivateFolder } from '../../../tenant/state/state-folder.ts';
import type { CliContext } from '../../cli-context.ts';
import type { FlagValues } from '../../flags/flag-definition.ts';
import { OptionReader } from '../../flags/option-reader.ts';
import { print } from '../../terminal/print.ts';
import { askCodeAtTerminal } from './ask-code.ts';
import { type AtGateway, atGateway } from './at-gateway.ts';
import { gatewayFlags } from './gateway-flags.ts';
import { signInFlags } from './sign-in-flags.ts';

interface SignIn {
  readonly context: CliContext;
  readonly reader: OptionReader<typeof signInFlags>;
  readonly given: GivenCredentials;
  readonly gateway: AtGateway;
}

/** `tenant sign-in`: a session at the gateway, new or still good. */
export async function signInCommand(this: CliContext, flags: FlagValues<typeof signInFlags>): Promise<void> {
  const { process, cwd } = this;
  const reader = new OptionReader(signInFlags, flags, process.env);
  const given = await readCredentials(credentialPath(reader, cwd), process.env);
  const conceal = concealer(given);
  try {
    await atGateway({ context: this, reader: reader.part(gatewayFlags), conceal }, async (gateway) => {
      await signIn({ context: this, reader, given, gateway });
    });
  } catch (error) {
    if (!(error instanceof RunnerError)) throw error;
    throw new RunnerError(error.code, conceal(error.message)); // the cause would show what is concealed
  }
}

async function signIn(request: SignIn): Promise<void> {
  const { context, given, gateway } = request;
  const { stateFolder, profile, newClient, signal } = gateway;
  await preparePrivateFolder(stateFolder);
  await using client = newClient();
  const kept = await readSession(stateFolder);
  const still = await stillSignedIn(kept, profile, given.identifier, client, signal);
  const session = still ?? (await newSession(request));
  await writeSession(stateFolder, session);
  const until = session.expiresAt === null ? '' : ` until ${session.expiresAt.toISOString()}`;
  await print(
    context.process.stdout,
    `${still === null ? 'signed in' : 'still signed in'} at ${profile.gateway} as ${session.did}${until}; the session is in ${sessionPath(stateFolder)}\n`,
  );
}

async function newSession({ context, reader, given, gateway }: SignIn): Promise<Session> {
  const { process, cwd } = context;
  const { profile, newClient, say, signal } = gateway;
  const command = reader.text('sign-in-command');
  const byBrowser = reader.enabled('browser');
  const expected = { identifier: given.identifier, did: undefined };
  await using client = newClient();
  if (command !== undefined && (!byBrowser || reader.prevails('sign-in-command', 'browser'))) {
    return await signInByCommand({
      command,
      credentials: credentialPath(reader, cwd),
      expected,
      profile,
      environment: process.env,
      client,
      stderr: process.stderr,
      interactive: process.stdin.isTTY ?? false,
      signal,
    });
  }
  if (byBrowser) {
    const showAddress = (address: URL): Promise<void> =>
      print(
        process.stderr,
        `Open this address in a browser on this machine, and sign in there:\n  ${address.href}\n`,
      );
    return await signInByBrowser({ profile, expected, client, random: randomBytes, showAddress, signal });
  }
  const credentials = completeCredentials(given);
  const askCode = askCodeAtTerminal(process);
  return await signInHeadless({ profile, credentials, client, resolveTxt, askCode, say, signal });
}

function credentialPath(reader: OptionReader<typeof signInFlags>, cwd: string): string | undefined {
  return reader.parsed('credentials', (path) => resolve(cwd, path));
}
