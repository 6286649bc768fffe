import { z } from 'zod';
import { RunnerError } from '../../base/errors.ts';
import { jsonOf } from '../web/json-answer.ts';
import type { WebAnswer, WebClient } from '../web/web-client.ts';
import { byPage } from './fetch-headers.ts';
import { askedToConsent, askedToSignIn, type SignInPages } from './sign-in-pages.ts';

const csrfCookie = 'csrf-token';
const prefix = '/@atproto/oauth-provider/~api';

const acceptedSchema = z.object({
  account: z.union([z.object({ did: z.string() }), z.object({ sub: z.string() })]),
  ephemeralToken: z.string().optional(),
});
const consentSchema = z.object({ url: z.string() });

/** The pages of @atproto/oauth-provider from 0.7 on. Null where `page` is none of them. */
export function currentPages(page: URL, client: WebClient): SignInPages | null {
  const csrfToken = (): string | undefined => client.jar.value(page.origin, csrfCookie, client.clock.date());
  if (csrfToken() === undefined) return null;
  const post = (
    path: string,
    asked: string,
    body: object,
    signal: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<WebAnswer> =>
    client.send({
      method: 'POST',
      url: new URL(`${prefix}${path}`, page),
      asked,
      headers: { ...byPage(page), 'X-CSRF-Token': csrfToken() ?? '', ...headers },
      body: JSON.stringify(body),
      signal,
    });
  return {
    submit: (attempt, signal) =>
      post('/sign-in', askedToSignIn, { locale: 'en', ...attempt, remember: false }, signal),
    consent: async (accepted, signal) => {
      const now = client.clock.date();
      const { account, ephemeralToken } = jsonOf(accepted, acceptedSchema, askedToSignIn, now);
      // the consent calls the account what the sign-in called it, and takes no other key
      const whose = 'did' in account ? { did: account.did } : { sub: account.sub };
      const bearer: Record<string, string> =
        ephemeralToken === undefined ? {} : { Authorization: `Bearer ${ephemeralToken}` };
      const answer = await post('/consent', askedToConsent, whose, signal, bearer);
      const { url } = jsonOf(answer, consentSchema, askedToConsent, now);
      if (URL.canParse(url, page.href)) return new URL(url, page);
      throw new RunnerError('ProtocolViolation', `${askedToConsent}: it leads to no address`);
    },
  };
}
