import { whoAmI } from '../gateway/who-am-i.ts';
import type { GatewayProfile } from '../profile/profile-schema.ts';
import type { WebClient } from '../web/web-client.ts';
import { isExpected, sessionValue } from './establish-session.ts';
import type { Session } from './session.ts';

/** Sessions that end sooner are worth a new sign-in: bringing up a cluster takes up to a quarter of an hour. */
const enoughMs = 30 * 60_000;

/** Gives the client the session's cookie for its requests. */
export function useSession({ gateway, cookie }: Session, client: WebClient): void {
  const setCookie = `${cookie.name}=${cookie.value}; Path=/`;
  client.jar.store(new URL(gateway), [setCookie], client.clock.date());
}

/** A session that was kept, if it is this gateway's and account's and the gateway still takes it; else null. */
export async function stillSignedIn(
  kept: Session | null,
  profile: GatewayProfile,
  identifier: string | undefined,
  client: WebClient,
  signal: AbortSignal,
): Promise<Session | null> {
  if (kept === null || kept.gateway !== profile.gateway || kept.cookie.name !== profile.sessionCookie) {
    return null;
  }
  useSession(kept, client);
  const owner = await whoAmI(profile, client, signal);
  if (owner === null || !isExpected(owner, { identifier, did: undefined })) return null;
  const isHandle = identifier !== undefined && !identifier.startsWith('did:');
  if (isHandle && owner.handle === undefined) return null; // whose it is cannot be told
  const { expiresAt } = owner;
  if (expiresAt !== null && expiresAt.getTime() - client.clock.date().getTime() < enoughMs) return null;
  const value = sessionValue(profile, client) ?? kept.cookie.value;
  return { ...kept, cookie: { name: kept.cookie.name, value }, did: owner.did, expiresAt };
}
