import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';

export interface User {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
}

export const anonymous: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

interface ServiceAccount {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Who a token belongs to, and tokens for service accounts (signed, so that nothing need be stored). */
export interface Tokens {
  /** The token of the cluster's admin. */
  readonly admin: string;
  issue(
    account: ServiceAccount,
    seconds: number,
    audiences: readonly string[],
  ): { token: string; expires: Date };
  /** The token's user; undefined where the token is not ours or has ended. */
  userOf(token: string, accountExists: (account: ServiceAccount) => boolean): User | undefined;
}

const claimsSchema = z.object({
  exp: z.number(),
  'kubernetes.io': z.object({
    namespace: z.string(),
    serviceaccount: z.object({ name: z.string(), uid: z.string() }),
  }),
});

export const defaultAudience = 'https://kubernetes.default.svc';

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const equal = (left: string, right: string): boolean => {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
};

function claimsOf(text: string): z.infer<typeof claimsSchema> | undefined {
  try {
    return claimsSchema.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}

export function createTokens(clock: Clock): Tokens {
  const admin = randomBytes(24).toString('base64url');
  const key = randomBytes(32);
  const sign = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');
  return {
    admin,
    issue({ namespace, name, uid }, seconds, audiences) {
      const now = Math.floor(clock.date().getTime() / 1000);
      const head = encode({ alg: 'HS256', typ: 'JWT' });
      const claims = encode({
        aud: audiences,
        exp: now + seconds,
        iat: now,
        nbf: now,
        iss: defaultAudience,
        sub: `system:serviceaccount:${namespace}:${name}`,
        'kubernetes.io': { namespace, serviceaccount: { name, uid } },
      });
      return {
        token: `${head}.${claims}.${sign(`${head}.${claims}`)}`,
        expires: new Date((now + seconds) * 1000),
      };
    },
    userOf(token, accountExists) {
      if (equal(token, admin))
        return { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
      const [head = '', body = '', signature = ''] = token.split('.');
      if (!equal(signature, sign(`${head}.${body}`))) return undefined;
      const claims = claimsOf(body);
      if (!claims || claims.exp * 1000 <= clock.date().getTime()) return undefined;
      const { namespace, serviceaccount } = claims['kubernetes.io'];
      if (!accountExists({ namespace, ...serviceaccount })) return undefined;
      return {
        name: `system:serviceaccount:${namespace}:${serviceaccount.name}`,
        uid: serviceaccount.uid,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
      };
    },
  };
}
