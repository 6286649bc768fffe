import { z } from 'zod';
import { RunnerError } from '../../base/errors.ts';
import type { GatewayProfile } from '../profile/profile-schema.ts';
import { jsonOf } from '../web/json-answer.ts';
import type { WebClient } from '../web/web-client.ts';
import { fieldOf, textAt } from './field.ts';
import { gatewayUrl } from './gateway-url.ts';

export interface SessionOwner {
  readonly did: string;
  readonly handle: string | undefined;
  /** Null where the gateway does not say. */
  readonly expiresAt: Date | null;
}

/** Whose session is in the client's jar, by the gateway's word; null where it knows no such session. */
export async function whoAmI(
  profile: GatewayProfile,
  client: WebClient,
  signal: AbortSignal,
): Promise<SessionOwner | null> {
  const { session } = profile;
  const asked = 'the session at the gateway';
  const headers = { Accept: 'application/json' };
  const url = gatewayUrl(profile, session.path);
  const answer = await client.send({ method: session.method, url, asked, headers, signal });
  if (answer.status === 401) return null;
  const json = jsonOf(answer, z.unknown(), asked, client.clock.date());
  const did = textAt(json, session.did);
  if (did === undefined || !/^did:[a-z]+:[\w.:%-]+$/.test(did)) {
    throw new RunnerError(
      'ProtocolViolation',
      `${asked}: ${url.host} says of no DID whose it is; does the profile's session.did name the right field?`,
    );
  }
  return { did, handle: textAt(json, session.handle), expiresAt: dateOf(fieldOf(json, session.expiresAt)) };
}

/** An ISO date, or seconds since 1970. */
function dateOf(value: unknown): Date | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const date = new Date(typeof value === 'number' ? value * 1000 : value);
  return Number.isNaN(date.getTime()) ? null : date;
}
