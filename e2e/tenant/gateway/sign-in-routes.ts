import { createHash, randomBytes } from 'node:crypto';
import { type NodeOAuthClient, OAuthCallbackError, OAuthResolverError } from '@atproto/oauth-client-node';
import { Hono } from 'hono';
import { z } from 'zod';
import { refusal } from './refusal.ts';
import { openSession, readCookie, shown } from './session-cookie.ts';
import type { Sessions } from './sessions.ts';

/** A sign-in that is under way; `loopback` is set where a program waits for the browser to come back to it. */
interface Begun {
  readonly handle: string;
  readonly loopback:
    | { readonly returnTo: string; readonly state: string; readonly challenge: string }
    | undefined;
}

const beginSchema = z.object({ handle: z.string().min(1) });
const loopbackSchema = z.object({
  return_to: z.string().regex(/^http:\/\/(127\.0\.0\.1|\[::1\]|localhost):\d+\//),
  state: z.string().min(1),
  code_challenge: z.string().regex(/^[\w-]{43}$/),
});
const exchangeSchema = z.object({ code: z.string(), code_verifier: z.string() });

export function signInRoutes(client: NodeOAuthClient, sessions: Sessions): Hono {
  const begun = new Map<string, Begun>();
  const codes = new Map<
    string,
    { readonly challenge: string; readonly did: string; readonly handle: string }
  >();
  const routes = new Hono();

  const begin = async (
    handle: string,
    loopback: Begun['loopback'],
    signal: AbortSignal,
  ): Promise<Response> => {
    const state = randomBytes(16).toString('hex');
    begun.set(state, { handle, loopback });
    try {
      return Response.redirect(await client.authorize(handle, { state, signal }), 302);
    } catch (error) {
      begun.delete(state);
      if (error instanceof OAuthResolverError || error instanceof TypeError)
        throw refusal(400, 'InvalidHandle', `the handle ${handle} does not resolve to an account server`);
      throw refusal(502, 'AuthorizationServer', `the account server of ${handle} did not take the request`);
    }
  };

  routes.post('/auth/atproto/login', async (c) => {
    const form = beginSchema.safeParse(await c.req.parseBody());
    if (!form.success) throw refusal(400, 'InvalidRequest', 'a form with the field "handle" is due');
    return begin(form.data.handle, undefined, c.req.raw.signal);
  });

  // For a browser: the session goes to the program that waits at `return_to`, by a code that only it can use.
  routes.get('/auth/atproto/login', async (c) => {
    const query = beginSchema.extend(loopbackSchema.shape).safeParse(c.req.query());
    if (!query.success) throw refusal(400, 'InvalidRequest', z.prettifyError(query.error));
    const { handle, return_to: returnTo, state, code_challenge: challenge } = query.data;
    return begin(handle, { returnTo, state, challenge }, c.req.raw.signal);
  });

  routes.get('/auth/atproto/callback', async (c) => {
    const { did, of } = await finish(client, new URL(c.req.url).searchParams);
    const start = begun.get(of);
    begun.delete(of);
    if (!start) throw refusal(400, 'InvalidState', 'no such sign-in is under way');
    const { handle, loopback } = start;
    if (!loopback) {
      openSession(c, sessions, did, handle);
      return c.redirect('/', 302);
    }
    const code = randomBytes(32).toString('base64url');
    codes.set(code, { challenge: loopback.challenge, did, handle });
    const back = new URL(loopback.returnTo);
    back.searchParams.set('code', code);
    back.searchParams.set('state', loopback.state);
    return c.redirect(back.href, 302);
  });

  routes.post('/auth/session', async (c) => {
    const form = exchangeSchema.safeParse(await c.req.parseBody());
    const known = form.success ? codes.get(form.data.code) : undefined;
    if (!form.success || !known)
      throw refusal(400, 'InvalidCode', 'the code is unknown, or was used already');
    codes.delete(form.data.code);
    const challenge = createHash('sha256').update(form.data.code_verifier).digest('base64url');
    if (challenge !== known.challenge) throw refusal(400, 'InvalidCode', 'the code is for another program');
    return c.json(shown(openSession(c, sessions, known.did, known.handle)));
  });

  routes.get('/api/session', (c) => {
    const session = sessions.of(readCookie(c));
    return session ? c.json(shown(session)) : c.json({ error: 'Unauthorized' }, 401);
  });

  routes.delete('/api/session', (c) => {
    sessions.close(readCookie(c) ?? '');
    return c.body(null, 204);
  });

  return routes;
}

async function finish(
  client: NodeOAuthClient,
  answer: URLSearchParams,
): Promise<{ did: string; of: string }> {
  try {
    const { session, state } = await client.callback(answer);
    return { did: session.did, of: state ?? '' };
  } catch (error) {
    if (!(error instanceof OAuthCallbackError)) throw error;
    throw refusal(400, error.params.get('error') ?? 'OAuthError', error.message);
  }
}
