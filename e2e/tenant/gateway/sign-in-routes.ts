import { createHash, randomBytes } from 'node:crypto';
import { type NodeOAuthClient, OAuthCallbackError, OAuthResolverError } from '@atproto/oauth-client-node';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { refusal } from './refusal.ts';
import { openSession, readCookie, shown } from './session-cookie.ts';
import type { Owner, Sessions } from './sessions.ts';
import { signInForm } from './sign-in-form.ts';

/** A program of the browser's own machine, which waits for the browser to come back to it. */
const programSchema = z.object({
  return_to: z.string().regex(/^http:\/\/(127\.0\.0\.1|\[::1\]):\d+\//),
  state: z.string().min(1),
  code_challenge: z.string().regex(/^[\w-]{43}$/),
});
type Program = z.output<typeof programSchema>;

const beginSchema = z.object({ handle: z.string().min(1) });
const exchangeSchema = z.object({ code: z.string(), code_verifier: z.string() });

export function signInRoutes(client: NodeOAuthClient, sessions: Sessions): Hono {
  const begun = new Map<string, { readonly program: Program | undefined }>();
  const codes = new Map<string, { readonly challenge: string; readonly who: Owner }>();
  const routes = new Hono();

  routes.get('/auth/atproto/login', (c) => c.html(signInForm(c.req.query())));

  routes.post('/auth/atproto/login', async (c) => {
    const form = await c.req.parseBody();
    const { handle } = accepted(beginSchema, form);
    const program = 'return_to' in form ? accepted(programSchema, form) : undefined;
    const state = randomBytes(16).toString('hex');
    begun.set(state, { program });
    return c.redirect(await authorizationOf(client, handle, state, c.req.raw.signal), 302);
  });

  routes.get('/auth/atproto/callback', async (c) => {
    const { who, of } = await finish(client, new URL(c.req.url).searchParams);
    const start = begun.get(of);
    begun.delete(of);
    if (!start) throw refusal(400, 'InvalidState', 'no such sign-in is under way');
    if (!start.program) {
      openSession(c, sessions, who);
      return c.redirect('/', 302);
    }
    // The session itself is in no address: the code is worth nothing without the program's verifier.
    const code = randomBytes(32).toString('base64url');
    codes.set(code, { challenge: start.program.code_challenge, who });
    const back = new URL(start.program.return_to);
    back.searchParams.set('code', code);
    back.searchParams.set('state', start.program.state);
    return c.redirect(back.href, 302);
  });

  routes.post('/auth/session', async (c) => {
    const { code, code_verifier: verifier } = accepted(exchangeSchema, await c.req.parseBody());
    const known = codes.get(code);
    codes.delete(code);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    if (challenge !== known?.challenge)
      throw refusal(400, 'InvalidCode', 'the code was used already, or is for another program');
    return c.json(shown(openSession(c, sessions, known.who)));
  });

  routes.get('/api/session', (c: Context) => {
    const session = sessions.of(readCookie(c));
    return session ? c.json(shown(session)) : c.json({ error: 'Unauthorized' }, 401);
  });

  routes.delete('/api/session', (c) => {
    sessions.close(readCookie(c) ?? '');
    return c.body(null, 204);
  });

  return routes;
}

function accepted<T>(schema: z.ZodType<T>, given: unknown): T {
  const read = schema.safeParse(given);
  if (!read.success) throw refusal(400, 'InvalidRequest', z.prettifyError(read.error));
  return read.data;
}

async function authorizationOf(
  client: NodeOAuthClient,
  handle: string,
  state: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    return (await client.authorize(handle, { state, signal })).href;
  } catch (error) {
    if (error instanceof OAuthResolverError || error instanceof TypeError)
      throw refusal(400, 'InvalidHandle', `the handle ${handle} does not resolve to an account server`);
    throw refusal(502, 'AuthorizationServer', `the account server of ${handle} did not take the request`);
  }
}

async function finish(
  client: NodeOAuthClient,
  answer: URLSearchParams,
): Promise<{ readonly who: Owner; readonly of: string }> {
  try {
    const { session, state } = await client.callback(answer);
    const { did, handle } = await client.identityResolver.resolve(session.did);
    return { who: { did, handle }, of: state ?? '' };
  } catch (error) {
    if (!(error instanceof OAuthCallbackError)) throw error;
    throw refusal(400, error.params.get('error') ?? 'OAuthError', error.message);
  }
}
