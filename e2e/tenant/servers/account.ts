import { randomBytes } from 'node:crypto';
import { z } from 'zod';

export interface Account {
  readonly did: string;
  readonly handle: string;
  readonly password: string;
  /** A password for programs only, which the sign-in pages refuse. */
  readonly createAppPassword: () => Promise<string>;
}

export async function createAccount(server: string, name: string): Promise<Account> {
  const handle = `${name}.test`;
  const password = randomBytes(16).toString('hex');
  const { did, accessJwt } = z.object({ did: z.string(), accessJwt: z.string() }).parse(
    await call(server, 'com.atproto.server.createAccount', {
      handle,
      password,
      email: `${name}@example.com`,
    }),
  );
  return {
    did,
    handle,
    password,
    createAppPassword: async () =>
      z
        .object({ password: z.string() })
        .parse(await call(server, 'com.atproto.server.createAppPassword', { name: 'tests' }, accessJwt))
        .password,
  };
}

async function call(server: string, method: string, body: object, token?: string): Promise<unknown> {
  const answer = await fetch(`${server}/xrpc/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method}: ${answer.status}`);
  return answer.json();
}
