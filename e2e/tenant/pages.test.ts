import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { embeddedBacking } from './gateway/backing.ts';
import { type Gateway, startGateway } from './gateway/gateway.ts';
import type { Account } from './servers/account.ts';
import { type AccountServer, startAccountServer } from './servers/account-server.ts';
import { wantEmailCode } from './servers/email-codes.ts';
import { PageWalk } from './servers/page-walk.ts';

/*
 * The sign-in pages are a private interface that changes between versions. What `tenant sign-in` takes for granted
 * is written down here, so that a new version which is otherwise fails here first.
 */

let accounts: AccountServer;
let gateway: Gateway;
let alice: Account;
beforeAll(async () => {
  accounts = await startAccountServer();
  gateway = await startGateway({ accounts, backing: embeddedBacking({ nodeDelayMs: 0, nodeHoldMs: 0 }) });
  alice = await accounts.createAccount('alice');
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await accounts?.[Symbol.asyncDispose]();
});

/** A walk that has come to the sign-in page; its address. */
async function atThePage(): Promise<{ walk: PageWalk; page: string }> {
  const walk = new PageWalk();
  const { location: page } = await walk.form(`${gateway.url}/auth/atproto/login`, { handle: alice.handle });
  expect(page).toContain(`${accounts.url}/oauth/authorize?client_id=`);
  await walk.open(page, 'cross-site');
  return { walk, page };
}

const signedInSchema = z.object({ account: z.object({ sub: z.string() }), ephemeralToken: z.string() });
const onwardSchema = z.object({ url: z.string() });

it('leads from the gateway through sign-in and consent back to a session', async () => {
  const { walk, page } = await atThePage();
  const body = { locale: 'en', username: alice.handle, password: alice.password };
  const signedIn = await walk.call(page, 'sign-in', body);
  expect(signedIn.status).toBe(200);
  const { account, ephemeralToken } = signedInSchema.parse(JSON.parse(signedIn.text));
  const authorization = `Bearer ${ephemeralToken}`;
  const consent = await walk.call(page, 'consent', { sub: account.sub }, { authorization });
  const { url } = onwardSchema.parse(JSON.parse(consent.text));
  expect((await walk.open(url, 'same-origin')).status).toBe(400); // wants to know the page it comes from
  const { status, location } = await walk.open(url, 'same-origin', page);
  expect(status).toBe(303);
  expect(location).toContain(`${gateway.url}/auth/atproto/callback?`);
  const back = await walk.open(location, 'cross-site');
  expect(back.status).toBe(302);
  expect(back.cookies.join().replace(/=[^;]*/, '=…')).toMatch(
    /^socialweb_session=…; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
  );
  const session = await walk.go(`${gateway.url}/api/session`);
  expect(JSON.parse(session.text)).toMatchObject({ did: alice.did, handle: alice.handle });
  await walk.go(`${gateway.url}/api/session`, { method: 'DELETE' });
  expect(await walk.go(`${gateway.url}/api/session`)).toMatchObject({
    status: 401,
    text: '{"error":"Unauthorized"}',
  });
});

it('opens for a navigation from elsewhere or from nowhere, and for nothing else', async () => {
  const { walk, page } = await atThePage();
  expect((await walk.open(page, 'cross-site')).status).toBe(200);
  expect((await walk.open(page, 'none')).status).toBe(200);
  expect((await walk.go(page)).status).toBe(400);
});

describe('a sign-in that is refused', () => {
  const invalid = (text: string): object => ({ error: 'invalid_request', error_description: text });

  it.each([
    ['a wrong password', () => ({ password: 'wrong-password' }), 'Invalid identifier or password'],
    ['a handle of nobody', () => ({ username: 'nobody.test' }), 'Invalid identifier or password'],
    [
      'an app password',
      async () => ({ password: await alice.createAppPassword() }),
      'App passwords are not allowed',
    ],
    [
      'a code where none is wanted',
      () => ({ emailOtp: '12345-67890' }),
      'Unable to sign-in due to an unexpected server error',
    ],
  ])('for %s', async (_, change, text) => {
    const { walk, page } = await atThePage();
    const body = { locale: 'en', username: alice.handle, password: alice.password, ...(await change()) };
    const answer = await walk.call(page, 'sign-in', body);
    expect({ status: answer.status, json: JSON.parse(answer.text) }).toEqual({
      status: 400,
      json: invalid(text),
    });
  });

  it('for want of the token that the page’s cookie holds', async () => {
    const { walk, page } = await atThePage();
    const body = { locale: 'en', username: alice.handle, password: alice.password };
    const answer = await walk.call(page, 'sign-in', body, { 'x-csrf-token': '0'.repeat(24) });
    expect(JSON.parse(answer.text)).toEqual(invalid('CSRF mismatch'));
  });
});

it('tells a consent that fails by an address that holds the error', async () => {
  const { walk, page } = await atThePage();
  const consent = await walk.call(page, 'consent', { sub: alice.did });
  expect(consent.status).toBe(200);
  const { url } = onwardSchema.parse(JSON.parse(consent.text));
  const { location } = await walk.open(url, 'same-origin', page);
  expect(new URL(location).searchParams.get('error')).toBe('invalid_request');
  expect(await walk.open(location, 'cross-site')).toMatchObject({ status: 400, cookies: [] });
});

it('asks for a code by e-mail where the server wants one', async () => {
  await using strict = await startAccountServer();
  await using theirs = await startGateway({ accounts: strict, backing: () => Promise.reject(new Error()) });
  const { handle: username, password } = await strict.createAccount('bob');
  wantEmailCode(strict.pds, '12345-67890');
  const walk = new PageWalk();
  const begun = await walk.form(`${theirs.url}/auth/atproto/login`, { handle: username });
  await walk.open(begun.location, 'cross-site');
  const signIn = (more: object): ReturnType<PageWalk['call']> =>
    walk.call(begun.location, 'sign-in', { locale: 'en', username, password, ...more });
  const asked = await signIn({});
  expect({ status: asked.status, json: JSON.parse(asked.text) }).toEqual({
    status: 401,
    json: {
      error: 'second_authentication_factor_required',
      error_description: 'emailOtp authentication factor required (hint: a***@e***)',
      type: 'emailOtp',
      hint: 'a***@e***',
    },
  });
  expect((await signIn({ emailOtp: 'other' })).status).toBe(400);
  expect((await signIn({ emailOtp: '12345-67890' })).status).toBe(200);
});
