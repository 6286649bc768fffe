import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import type { Credential } from './credential.ts';

const claimsSchema = z.object({ exp: z.number().positive() });

/** When a credential says itself that it ends; null where it does not. */
export function expiryOf(credential: Credential): Date | null {
  const ends = [
    tokenExpiry(credential.authorization),
    certificateExpiry(credential.clientCertificate?.certificate),
  ]
    .filter((date) => date !== null)
    .map((date) => date.getTime());
  return ends.length === 0 ? null : new Date(Math.min(...ends));
}

function tokenExpiry(authorization: string | undefined): Date | null {
  const payload = authorization?.match(/^Bearer [\w-]+\.([\w-]+)\.[\w-]*$/)?.[1];
  if (payload === undefined) return null;
  try {
    const claims = claimsSchema.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
    return claims.success ? new Date(claims.data.exp * 1000) : null;
  } catch {
    return null;
  }
}

function certificateExpiry(pem: string | undefined): Date | null {
  if (pem === undefined) return null;
  try {
    const date = new Date(new X509Certificate(pem).validTo);
    return Number.isNaN(date.getTime()) ? null : date;
  } catch {
    return null;
  }
}
