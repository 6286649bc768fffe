import { RunnerError } from '../../base/errors.ts';
import { whoAmI } from '../gateway/who-am-i.ts';
import type { GatewayProfile } from '../profile/profile-schema.ts';
import type { WebClient } from '../web/web-client.ts';
import type { Session } from './session.ts';

/** The identifier that was to be signed in, and the DID that it was found to be; either may be unknown. */
export interface ExpectedOwner {
  readonly identifier: string | undefined;
  readonly did: string | undefined;
}

/** Asks the gateway whose the session in the client's jar is, and refuses one that is somebody else's. */
export async function establishSession(
  profile: GatewayProfile,
  expected: ExpectedOwner,
  client: WebClient,
  signal: AbortSignal,
): Promise<Session> {
  const name = profile.sessionCookie;
  const owner =
    sessionValue(profile, client) === undefined ? undefined : await whoAmI(profile, client, signal);
  if (owner === undefined) {
    throw new RunnerError(
      'ProtocolViolation',
      `the gateway signed in but set no cookie ${name}; name the right one as sessionCookie in the profile`,
    );
  }
  if (owner === null) {
    throw new RunnerError(
      'Unauthorized',
      `the gateway does not know the session of the cookie ${name}; does the profile's sessionCookie name the right one?`,
    );
  }
  if (!isExpected(owner, expected)) {
    throw new RunnerError(
      'Unauthorized',
      `the gateway signed in ${owner.did}, which is not the account that was asked for; the session was not kept`,
    );
  }
  // asked for again: the gateway may have renewed it with its answer
  const cookie = { name, value: sessionValue(profile, client) ?? '' };
  return { gateway: profile.gateway, cookie, did: owner.did, expiresAt: owner.expiresAt };
}

/** The session's cookie in the client's jar. */
export const sessionValue = (profile: GatewayProfile, client: WebClient): string | undefined =>
  client.jar.value(new URL(profile.gateway).origin, profile.sessionCookie, client.clock.date());

/** Where neither the DID nor the handle can be compared, the account that signed in is taken. */
export function isExpected(
  owner: { readonly did: string; readonly handle: string | undefined },
  { identifier, did }: ExpectedOwner,
): boolean {
  const wantedDid = did ?? (identifier?.startsWith('did:') ? identifier : undefined);
  if (wantedDid !== undefined) return owner.did === wantedDid;
  return identifier === undefined || owner.handle === undefined || owner.handle.toLowerCase() === identifier;
}
