import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { refusal } from './refusal.ts';
import type { Owner, Session, Sessions } from './sessions.ts';

const name = 'socialweb_session';

export function openSession(context: Context, sessions: Sessions, who: Owner): Session {
  const { cookie, session } = sessions.open(who);
  setCookie(context, name, cookie, {
    path: '/',
    httpOnly: true,
    secure: true,
    sameSite: 'Lax',
    expires: session.expiresAt,
  });
  return session;
}

export const readCookie = (context: Context): string | undefined => getCookie(context, name);

export function sessionOf(context: Context, sessions: Sessions): Session {
  const session = sessions.of(readCookie(context));
  if (!session) throw refusal(401, 'Unauthorized', 'nobody is signed in');
  return session;
}

export const shown = ({ did, handle, expiresAt }: Session): object => ({
  did,
  handle,
  expiresAt: expiresAt.toISOString(),
});
