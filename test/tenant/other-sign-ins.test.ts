import { rm } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { readText, type Stage, stage } from './support/stage.ts';

/** Where an answer sends a browser on to. */
async function next(address: string): Promise<string> {
  const answer = await fetch(address, { redirect: 'manual' });
  return answer.headers.get('location') ?? `status ${answer.status}: ${await answer.text()}`;
}

/** What a person does in a browser, up to the address that the gateway sends back to. */
async function browse(at: Stage, address: string): Promise<string> {
  const login = await next(address);
  const page = await next(login);
  return next(at.server.agree(new URL(page)));
}

/** Runs `tenant sign-in --browser`, and lets `act` go on from the address that it prints. */
async function byBrowser(
  at: Stage,
  act: (address: string) => Promise<unknown>,
  argv: readonly string[] = [],
) {
  let acted: Promise<unknown> | undefined;
  const ended = await at.tenant(['sign-in', '--browser', ...argv], {
    env: { ATP_HANDLE: at.account.handle },
    onStderr: (text) => {
      const [address] = /http:\S+(?=\n)/.exec(text) ?? [];
      if (address !== undefined) acted ??= act(address);
    },
  });
  return { ...ended, acted: await acted };
}

describe('with a browser', () => {
  test('the session comes by a code, and stands in no address', async () => {
    await using at = await stage();
    const { code, stdout, acted } = await byBrowser(at, async (address) => {
      const back = await browse(at, address);
      expect(back).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback\?code=/);
      return next(back);
    });
    expect({ code, acted }).toEqual({ code: 0, acted: expect.stringContaining('You are signed in') });
    expect(stdout).toContain(at.account.did);
    const kept = JSON.parse(await readText(at.stateFolder, 'session.json'));
    expect(at.gateway.sessions).toEqual([kept.cookie.value]);
    for (const { url } of at.gateway.seen) expect(url.href).not.toContain(kept.cookie.value);
  });

  test('a call back that is not of this sign-in changes nothing', async () => {
    await using at = await stage();
    const { code } = await byBrowser(at, async (address) => {
      const wrong = new URL('/callback?code=stolen&state=guessed', address).href;
      expect(await next(wrong)).toContain('status 404');
      return next(await browse(at, address));
    });
    expect(code).toBe(0);
  });

  test('a code of another sign-in is not exchanged', async () => {
    await using at = await stage();
    const { code, stderr } = await byBrowser(at, async (address) => {
      const back = new URL(await browse(at, address));
      back.searchParams.set('code', 'of-another');
      return next(back.href);
    });
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('bad code or verifier'),
    });
  });

  test("a refusal is told in the gateway's words", async () => {
    await using at = await stage();
    const { code, stderr } = await byBrowser(at, async (address) => {
      const back = new URL(await browse(at, address));
      back.searchParams.delete('code');
      back.searchParams.set('error', 'access_denied');
      return next(back.href);
    });
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('access_denied') });
  });

  test('is refused where the gateway hands nothing over', async () => {
    await using at = await stage();
    const profile = await at.write('profile.json', '{"browser": null}');
    const { code, stderr } = await byBrowser(at, async () => {}, ['--profile-file', profile]);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('hands over no session'),
    });
  });
});

describe('with a command of the user', () => {
  /** A cookie that the gateway takes. */
  async function cookieOf(at: Stage): Promise<string> {
    await at.signIn();
    return JSON.parse(await readText(at.stateFolder, 'session.json')).cookie.value;
  }

  test.each([
    ['a pair', 'echo working >&2; echo noise; echo "$TENANT_COOKIE_NAME=$(cat cookie)"'],
    ['a header', 'printf "Set-Cookie: a=b; socialweb_session=%s; Path=/\\r\\n" "$(cat cookie)"'],
  ])('%s that it prints is the session', async (_, script) => {
    await using at = await stage();
    const path = await at.write('cookie', await cookieOf(at));
    const command = script.replace('cat cookie', `cat ${path}`);
    await rm(at.stateFolder, { recursive: true });
    const { code, stderr, stdout } = await at.tenant([
      'sign-in',
      '--sign-in-command',
      `test "$TENANT_GATEWAY" = ${at.gateway.origin} && { ${command}; }`,
    ]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toContain(at.account.did);
  });

  test.each([
    ['fails', 'echo why >&2; exit 7', 3, 'ended with exit code 7'],
    ['prints nothing of use', 'echo hello', 2, 'is not socialweb_session=VALUE'],
    ['prints a session that is none', 'echo socialweb_session=made-up-value', 3, 'does not know the session'],
  ])('a command that %s', async (_, command, expected, message) => {
    await using at = await stage();
    const { code, stderr } = await at.tenant(['sign-in', '--sign-in-command', command]);
    expect({ code, stderr }).toMatchObject({ code: expected, stderr: expect.stringContaining(message) });
    expect(stderr).not.toContain('made-up-value');
    expect(await at.stateFiles()).toEqual([]);
  });

  test('is not mixed with a browser', async () => {
    await using at = await stage();
    expect(await at.tenant(['sign-in', '--browser', '--sign-in-command', 'true'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('exclude each other'),
    });
  });
});
