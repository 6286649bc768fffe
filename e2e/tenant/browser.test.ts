import type { Browser, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { openBrowser } from './browser/open-browser.ts';
import { signInByHand } from './browser/person.ts';
import { type Gateway, startGateway } from './gateway/gateway.ts';
import { type AccountServer, startAccountServer } from './servers/account-server.ts';

let accounts: AccountServer;
let gateway: Gateway;
let browser: Browser;
beforeAll(async () => {
  accounts = await startAccountServer();
  gateway = await startGateway({ accounts, backing: () => Promise.reject(new Error('no clusters here')) });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
  await accounts?.[Symbol.asyncDispose]();
});

/** What a request was, with the values that differ each time left out. */
async function shapeOf(request: Request): Promise<object> {
  const headers = await request.allHeaders();
  const told = ['origin', 'sec-fetch-mode', 'sec-fetch-site'].map((name) => [name, headers[name]]);
  const body: unknown = request.postDataJSON();
  return {
    ...Object.fromEntries(told),
    type: headers['content-type'],
    referer: headers.referer?.replace(/\?.*/, ''),
    csrf: headers['x-csrf-token']?.length,
    authorization: headers.authorization?.replace(/ .*/, ''),
    fields: body === null ? undefined : Object.keys(z.record(z.string(), z.unknown()).parse(body)).sort(),
  };
}

it('goes the road that the sign-in without a browser takes for granted', async () => {
  const account = await accounts.createAccount('alice');
  const page = await browser.newPage();
  page.setDefaultTimeout(20_000);
  const seen = new Map<string, Request>();
  page.on('request', (request) => void seen.set(new URL(request.url()).pathname, request));
  await page.goto(`${gateway.url}/auth/atproto/login`);
  await signInByHand(page, account);
  await page.getByRole('heading', { name: 'Signed in' }).waitFor();

  const [cookie] = await page.context().cookies(gateway.url);
  expect(cookie).toMatchObject({ name: 'socialweb_session', httpOnly: true, secure: true, sameSite: 'Lax' });
  const asked = async (path: string): Promise<object> => {
    const request = seen.get(path);
    return request ? await shapeOf(request) : { path, asked: 'never' };
  };
  const fromPage = {
    origin: accounts.url,
    'sec-fetch-mode': 'same-origin',
    'sec-fetch-site': 'same-origin',
    type: 'application/json',
    referer: `${accounts.url}/oauth/authorize`,
    csrf: 24,
  };
  expect(await asked('/@atproto/oauth-provider/~api/sign-in')).toEqual({
    ...fromPage,
    authorization: undefined,
    fields: ['locale', 'password', 'remember', 'username'],
  });
  expect(await asked('/@atproto/oauth-provider/~api/consent')).toEqual({
    ...fromPage,
    authorization: 'Bearer',
    fields: ['scope', 'sub'],
  });
  expect(await asked('/oauth/authorize/redirect')).toMatchObject({
    'sec-fetch-mode': 'navigate',
    'sec-fetch-site': 'same-origin',
    referer: `${accounts.url}/oauth/authorize`,
  });
});
