import { z } from 'zod';
import { RunnerError } from '../../base/errors.ts';
import type { AccountCredentials } from '../credentials/account-credentials.ts';
import { gatewayUrl } from '../gateway/gateway-url.ts';
import { type AccountServer, findAccountServer } from '../identity/account-server.ts';
import type { ResolveTxt } from '../identity/resolve-handle.ts';
import type { GatewayProfile } from '../profile/profile-schema.ts';
import { walk } from '../web/walk.ts';
import type { WebAnswer, WebClient } from '../web/web-client.ts';
import { oneLine, parsedJson, refusalError } from '../web/web-refusal.ts';
import { currentPages } from './current-pages.ts';
import { establishSession } from './establish-session.ts';
import { navigation } from './fetch-headers.ts';
import { olderPages } from './older-pages.ts';
import type { Session } from './session.ts';
import { askedToConsent, askedToSignIn, type SignInPages } from './sign-in-pages.ts';
import { type AskCode, submitCredentials } from './submit-credentials.ts';

export interface HeadlessSignIn {
  readonly profile: GatewayProfile;
  readonly credentials: AccountCredentials;
  readonly client: WebClient;
  readonly resolveTxt: ResolveTxt;
  readonly askCode: AskCode;
  /** Told what is being done, in a few words. */
  readonly say: (doing: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Signs in as a browser would: the gateway's login, the page of the account's own authorization server, consent,
 * the gateway's callback. The password goes to that one server only, which is found without the gateway.
 */
export async function signInHeadless(request: HeadlessSignIn): Promise<Session> {
  const { profile, credentials, client, say, signal } = request;
  say("looks for the account's own authorization server");
  const server = await findAccountServer({ ...request, plcDirectory: profile.plcDirectory });
  say('begins the sign-in at the gateway');
  const page = await openPage(await beginAtGateway(request, server), request);
  const pages = pagesOf(page, client);
  say('signs in at the authorization server');
  const accepted = await submitCredentials({ ...request, pages });
  const did = accountOf(accepted);
  if (server.did !== undefined && did !== server.did) {
    throw new RunnerError(
      'Unauthorized',
      `${askedToSignIn}: it signed in another account than ${server.did}`,
    );
  }
  const next = await pages.consent(accepted, signal);
  say('goes back to the gateway');
  await backAtGateway(await callbackAfter(next, page, request), request);
  const expected = { identifier: credentials.identifier, did: server.did ?? did };
  return establishSession(profile, expected, client, signal);
}

const asked = "the gateway's sign-in";

/** Where the gateway leads to, which must be the page of the account's own server. */
async function beginAtGateway(
  { profile, credentials, client, signal }: HeadlessSignIn,
  { authorizationEndpoint: own }: AccountServer,
): Promise<URL> {
  const { method, path, handleField } = profile.signIn;
  const url = gatewayUrl(profile, path);
  const form = new URLSearchParams({ [handleField]: credentials.identifier });
  if (method === 'GET') url.search = form.toString();
  const body = method === 'GET' ? {} : { body: form.toString() };
  const headers = { ...navigation('same-origin'), Origin: url.origin, Referer: `${url.origin}/` };
  const type = method === 'GET' ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' };
  const end = await walk(client, { method, url, asked, headers: { ...headers, ...type }, ...body, signal });
  if ('answer' in end) {
    if (end.answer.status >= 400) throw refusalError(end.answer, asked, client.clock.date());
    throw new RunnerError(
      'ProtocolViolation',
      `${asked}: ${url.host} did not lead on to an authorization server (status ${end.answer.status}); does the profile's signIn name the right path?`,
    );
  }
  const { away } = end;
  if (away.origin === own.origin && away.pathname === own.pathname) return away;
  const stale = credentials.pdsUrl === undefined ? '' : ' (is ATP_PDS_URL out of date?)';
  throw new RunnerError(
    'ProtocolViolation',
    `${asked}: ${url.host} leads to ${away.origin}${away.pathname}, but the account's own authorization server is ${own.origin}${own.pathname}${stale}; the password was not sent`,
  );
}

/** Opens the sign-in page, so that its cookies are in the jar; where it stands at last. */
async function openPage(url: URL, { client, profile, signal }: HeadlessSignIn): Promise<URL> {
  const page = 'the page of the authorization server';
  const headers = navigation('none');
  const end = await walk(client, { method: 'GET', url, asked: page, headers, signal });
  if ('away' in end) throw endedEarly(end.away, profile, page);
  if (end.answer.status === 200) return end.answer.url;
  throw refusalError(end.answer, page, client.clock.date());
}

function pagesOf(page: URL, client: WebClient): SignInPages {
  const pages = currentPages(page, client) ?? olderPages(page, client);
  if (pages) return pages;
  throw new RunnerError(
    'ProtocolViolation',
    `the page of ${page.host} is none that is known here; the password was not sent; sign in with --browser`,
  );
}

function accountOf(accepted: WebAnswer): string | undefined {
  const account = z.object({ account: z.object({ did: z.string().optional(), sub: z.string().optional() }) });
  const parsed = account.safeParse(parsedJson(accepted.text));
  return parsed.data?.account.did ?? parsed.data?.account.sub;
}

/** Follows the server's own redirects up to the gateway's callback, and stops before it. */
async function callbackAfter(next: URL, page: URL, request: HeadlessSignIn): Promise<URL> {
  const { client, profile, signal } = request;
  if (next.origin !== page.origin) return checkedCallback(next, profile);
  const headers = { ...navigation('same-origin'), Referer: page.href };
  const end = await walk(client, { method: 'GET', url: next, asked: askedToConsent, headers, signal });
  if ('away' in end) return checkedCallback(end.away, profile);
  if (end.answer.status >= 400) throw refusalError(end.answer, askedToConsent, client.clock.date());
  throw new RunnerError(
    'ProtocolViolation',
    `${askedToConsent}: ${next.host} does not lead back to the gateway; sign in with --browser`,
  );
}

function checkedCallback(url: URL, profile: GatewayProfile): URL {
  const callback = gatewayUrl(profile, profile.callback);
  if (url.origin !== callback.origin || url.pathname !== callback.pathname) {
    throw new RunnerError(
      'ProtocolViolation',
      `${askedToConsent}: it leads back to ${url.origin}${url.pathname}, which is not the gateway's callback ${callback.href}; nothing was sent there`,
    );
  }
  if (url.searchParams.has('error')) throw endedEarly(url, profile, askedToConsent);
  return url;
}

/** An authorization server tells of an error by sending back to the gateway with it. */
function endedEarly(url: URL, profile: GatewayProfile, what: string): RunnerError {
  const error = url.searchParams.get('error');
  if (url.origin !== new URL(profile.gateway).origin || error === null) {
    return new RunnerError(
      'ProtocolViolation',
      `${what}: it leads away to ${url.origin}${url.pathname}; the password was not sent there`,
    );
  }
  const description = url.searchParams.get('error_description') ?? 'it gave no reason';
  return new RunnerError('Unauthorized', `${what}: it refused (${oneLine(`${error}: ${description}`)})`);
}

async function backAtGateway(callback: URL, { client, signal }: HeadlessSignIn): Promise<void> {
  const what = "the gateway's callback";
  const headers = navigation('cross-site');
  const answer = await client.send({ method: 'GET', url: callback, asked: what, headers, signal });
  if (answer.status >= 400) throw refusalError(answer, what, client.clock.date());
}
