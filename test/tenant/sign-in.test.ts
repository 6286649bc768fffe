import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { runCli } from '../../src/cli/application.ts';
import { testContext } from '../cli/test-context.ts';
import { readText, stage } from './support/stage.ts';

describe('the sign-in through the pages', () => {
  test.each(['current', 'current-by-did', 'older'] as const)('of a server with %s pages', async (pages) => {
    await using at = await stage({ pages });
    const { code, stdout, stderr } = await at.signIn();
    expect(stderr).not.toContain('failed');
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(at.account.did) });
    expect(await at.stateFiles()).toEqual(['session.json 600']);
    const kept = JSON.parse(await readText(at.stateFolder, 'session.json'));
    expect(kept).toMatchObject({ gateway: at.gateway.origin, did: at.account.did });
    expect(at.gateway.sessions).toContain(kept.cookie.value);
  });

  test('by the environment, and with all requests told', async () => {
    await using at = await stage();
    const env = {
      ATPROTO_HANDLE: at.account.handle.toUpperCase(),
      ATPROTO_PASSWORD: at.account.password,
      ATPROTO_PDS_URL: at.server.origin,
    };
    const { code, stderr } = await at.tenant(['sign-in', '--verbose'], { env });
    expect(code).toBe(0);
    expect(stderr).toContain('POST (ATP_PDS_URL)/@atproto/oauth-provider/~api/sign-in: 200');
  });

  test('by a DID, found in the directory', async () => {
    await using at = await stage();
    const profile = await at.write('profile.json', JSON.stringify({ plcDirectory: at.server.origin }));
    const env = { ATP_HANDLE: at.account.did, ATP_PASSWORD: at.account.password };
    const { code, stderr } = await at.tenant(['sign-in', '--profile-file', profile], { env });
    expect({ code, stderr }).toMatchObject({ code: 0 });
  });

  test('is not done again while the session is good', async () => {
    await using at = await stage();
    await at.signIn();
    const again = await at.signIn();
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('still signed in') });
    expect(at.gateway.sessions).toHaveLength(1);
    at.gateway.endSessions();
    expect(await at.signIn()).toMatchObject({ code: 0, stdout: expect.not.stringContaining('still') });
    expect(at.gateway.sessions).toHaveLength(2);
  });

  test('asks for the e-mailed code at the terminal', async () => {
    await using at = await stage({ account: { emailCode: 'ABCDE-12345' } });
    const terminal = Object.assign(new PassThrough(), { isTTY: true });
    let asked = 0;
    const answered = await at.signIn({
      terminal,
      onStderr: (text) => {
        const questions = text.split('Code: ').length - 1;
        if (questions <= asked) return;
        asked = questions;
        terminal.write(asked === 1 ? 'wrong\n' : ' ABCDE-12345 \n');
      },
    });
    expect(answered).toMatchObject({ code: 0, stderr: expect.stringContaining('was not accepted') });
  });

  test('says so where there is no terminal to ask for the code', async () => {
    await using at = await stage({ account: { emailCode: 'ABCDE-12345' } });
    expect(await at.signIn()).toMatchObject({ code: 3, stderr: expect.stringContaining('no terminal') });
  });
});

describe('a refusal is told for what it is', () => {
  test('a wrong password', async () => {
    await using at = await stage();
    const env = { ATP_HANDLE: at.account.handle, ATP_PASSWORD: 'mistaken', ATP_PDS_URL: at.server.origin };
    const { code, stderr } = await at.tenant(['sign-in'], { env });
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('refuses the password'),
    });
    expect(stderr).not.toContain('mistaken');
  });

  test.each([
    ['app passwords are not taken', 'takes no app password'],
    ['and one of another account looks like one', 'it looks like an app password'],
  ])('%s', async (what, message) => {
    const appPassword = 'abcd-efgh-ijkl-mn23';
    await using at = await stage(what.startsWith('app') ? { account: { appPassword } } : {});
    const env = { ATP_HANDLE: at.account.handle, ATP_PASSWORD: appPassword, ATP_PDS_URL: at.server.origin };
    const { code, stderr } = await at.tenant(['sign-in'], { env });
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining(message) });
    expect(stderr).not.toContain(appPassword);
  });

  test('a rate limit, with the time to wait', async () => {
    await using at = await stage({
      accountServer: {
        instead: ({ url }, response) => {
          if (!url.pathname.endsWith('/sign-in')) return false;
          response.writeHead(429, { 'Retry-After': '90' }).end('{"error":"RateLimitExceeded"}');
          return true;
        },
      },
    });
    expect(await at.signIn()).toMatchObject({ code: 3, stderr: expect.stringContaining('in 90 seconds') });
  });

  test('a server that repeats the password in its answer', async () => {
    await using at = await stage({
      accountServer: {
        instead: ({ url, body }, response) => {
          if (!url.pathname.endsWith('/sign-in')) return false;
          response.writeHead(400).end(JSON.stringify({ error: 'bad', message: JSON.parse(body).password }));
          return true;
        },
      },
    });
    expect(await at.signIn()).toMatchObject({ code: 3, stderr: expect.stringContaining('(the password)') });
  });

  test('a page that is not known', async () => {
    await using at = await stage({
      accountServer: {
        instead: ({ url }, response) => {
          if (url.pathname !== '/oauth/authorize') return false;
          response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>');
          return true;
        },
      },
    });
    expect(await at.signIn()).toMatchObject({ code: 3, stderr: expect.stringContaining('--browser') });
  });

  test('a PDS that is down', async () => {
    await using at = await stage();
    await at.server[Symbol.asyncDispose]();
    const { code, stderr } = await at.signIn();
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('ECONNREFUSED') });
    expect(stderr).toContain("the account's PDS");
  });

  test('a handle that does not resolve', async () => {
    await using at = await stage();
    const env = { ATP_HANDLE: 'nobody.invalid', ATP_PASSWORD: at.account.password };
    const { code, stderr } = await at.tenant(['sign-in'], { env });
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('does not resolve') });
    expect(stderr).not.toContain('nobody.invalid');
  });
});

describe('the gateway is not trusted with the way', () => {
  const passwordsSent = (seen: readonly { readonly body: string }[], password: string): number =>
    seen.filter(({ body }) => body.includes(password.slice(-16))).length;

  test('a redirect to another server is refused before the password', async () => {
    await using other = await stage();
    await using at = await stage({
      gateway: {
        instead: ({ url }, response) => {
          if (url.pathname !== '/auth/atproto/login') return false;
          response.writeHead(302, { Location: other.server.push('x', 'https://x.test/', 's') }).end();
          return true;
        },
      },
    });
    const { code, stderr } = await at.signIn();
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('password was not sent'),
    });
    expect(other.server.seen).toEqual([]);
  });

  test('neither is a server that leads back elsewhere', async () => {
    await using other = await stage();
    await using at = await stage({
      accountServer: {
        instead: ({ url }, response) => {
          if (!url.pathname.endsWith('/redirect')) return false;
          response.writeHead(303, { Location: `${other.gateway.origin}/auth/atproto/callback?code=x` }).end();
          return true;
        },
      },
    });
    const { code, stderr } = await at.signIn();
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('nothing was sent there'),
    });
    expect(other.gateway.seen).toEqual([]);
    expect(passwordsSent(at.gateway.seen, at.account.password)).toBe(0);
    expect(passwordsSent(at.server.seen, at.account.password)).toBe(1);
  });

  test('a circle of redirects ends', async () => {
    await using at = await stage({
      gateway: {
        instead: (_, response) => {
          response.writeHead(302, { Location: '/auth/atproto/login' }).end();
          return true;
        },
      },
    });
    expect(await at.signIn()).toMatchObject({ code: 3, stderr: expect.stringContaining('in a circle') });
    expect(at.gateway.seen).toHaveLength(11);
  });

  test('a session of somebody else is not kept', async () => {
    await using at = await stage({ gateway: { did: `did:plc:${'b'.repeat(24)}` } });
    expect(await at.signIn()).toMatchObject({ code: 3, stderr: expect.stringContaining('not the account') });
    expect(await at.stateFiles()).toEqual([]);
  });

  test.each([
    ['502', 502, 'text/html', 'down or not well (status 502)'],
    ['a page of HTML', 200, 'text/html', 'did not lead on to an authorization server'],
  ])('%s from the gateway', async (_, status, type, message) => {
    await using at = await stage({
      gateway: {
        instead: (_asked, response) => {
          response.writeHead(status, { 'Content-Type': type }).end('<html><body>Bad</body></html>');
          return true;
        },
      },
    });
    expect(await at.signIn()).toMatchObject({ code: 3, stderr: expect.stringContaining(message) });
  });

  test('a gateway without TLS that is not on this machine', async () => {
    await using at = await stage();
    const env = { ATP_HANDLE: at.account.handle, ATP_PASSWORD: at.account.password };
    const { context, stderr } = testContext(env, at.folder);
    await runCli(['tenant', 'sign-in', '--gateway', 'http://192.0.2.1'], context);
    expect(context.process.exitCode).toBe(2);
    expect(stderr()).toContain('is not encrypted');
  });
});
