import { z } from 'zod';
import { jsonOf } from '../web/json-answer.ts';
import type { WebClient } from '../web/web-client.ts';
import { byPage } from './fetch-headers.ts';
import { askedToSignIn, type SignInPages } from './sign-in-pages.ts';

const acceptedSchema = z.object({ account: z.object({ sub: z.string() }) });

/** The pages of @atproto/oauth-provider before 0.5, with the CSRF token in the body. Null where `page` is none. */
export function olderPages(page: URL, client: WebClient): SignInPages | null {
  const requestUri = page.searchParams.get('request_uri') ?? '';
  const clientId = page.searchParams.get('client_id') ?? '';
  const csrfToken = (): string | undefined =>
    client.jar.value(page.origin, `csrf-${requestUri}`, client.clock.date());
  if (csrfToken() === undefined) return null;
  return {
    submit: (attempt, signal) =>
      client.send({
        method: 'POST',
        url: new URL('/oauth/authorize/sign-in', page),
        asked: askedToSignIn,
        headers: byPage(page),
        body: JSON.stringify({
          csrf_token: csrfToken(),
          request_uri: requestUri,
          client_id: clientId,
          credentials: { ...attempt, remember: false },
        }),
        signal,
      }),
    consent: async (accepted) => {
      const { account } = jsonOf(accepted, acceptedSchema, askedToSignIn, client.clock.date());
      const url = new URL('/oauth/authorize/accept', page);
      url.searchParams.set('request_uri', requestUri);
      url.searchParams.set('account_sub', account.sub);
      url.searchParams.set('client_id', clientId);
      url.searchParams.set('csrf_token', csrfToken() ?? '');
      return url;
    },
  };
}
