import { randomBytes } from 'node:crypto';
import { access, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from './browser/open-browser.ts';
import { signInByHand } from './browser/person.ts';
import { type Gateway, startGateway } from './gateway/gateway.ts';
import { buildProduct, type CommandOptions, type Ended, type Product } from './product/command.ts';
import { type Credentials, credentialFile } from './product/credential-file.ts';
import type { Account } from './servers/account.ts';
import { type AccountServer, startAccountServer } from './servers/account-server.ts';
import { wantEmailCode } from './servers/email-codes.ts';

let accounts: AccountServer;
let gateway: Gateway;
let product: Product;
let alice: Account;
const code = '12345-67890';
beforeAll(async () => {
  [accounts, product] = await Promise.all([startAccountServer(), buildProduct()]);
  gateway = await startGateway({ accounts, backing: () => Promise.reject(new Error('no clusters here')) });
  alice = await accounts.createAccount('alice');
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await Promise.all([accounts?.[Symbol.asyncDispose](), product?.[Symbol.asyncDispose]()]);
});

let folders = 0;
const secrets = new Set<string>();

interface SignedIn extends Ended {
  readonly session: string;
  readonly again: () => Promise<Ended>;
}

/** Signs in with a state folder of its own. */
async function signIn(
  credentials: Credentials,
  args: readonly string[] = [],
  options: CommandOptions = {},
): Promise<SignedIn> {
  const folder = join(product.home, `state-${folders++}`);
  secrets.add(credentials.password);
  const profile = join(product.home, 'profile.json');
  await writeFile(profile, JSON.stringify({ gateway: gateway.url, plcDirectory: accounts.plc }));
  const file = await credentialFile(product.home, `account-${folders}`, credentials);
  const call = (): Promise<Ended> =>
    product.call(
      [
        ...['tenant', 'sign-in', '--profile-file', profile, '--state-dir', folder, '--credentials', file],
        ...args,
      ],
      options,
    );
  const ended = await call();
  for (const cookie of gateway.sessions.cookies()) secrets.add(cookie);
  return { ...ended, session: join(folder, 'session.json'), again: call };
}

describe('tenant sign-in, on the real pages', () => {
  it('keeps a session, uses it as long as it is good, and gets another when it was ended', async () => {
    const signedIn = await signIn({ ...alice, pds: accounts.url }, ['--verbose']);
    expect(signedIn).toMatchObject({ code: 0 });
    expect(signedIn.stdout).toMatch(new RegExp(`^signed in at ${gateway.url} as ${alice.did} until `));
    expect((await stat(signedIn.session)).mode & 0o777).toBe(0o600);
    expect((await signedIn.again()).stdout).toMatch(/^still signed in /);
    gateway.sessions.closeAll();
    expect((await signedIn.again()).stdout).toMatch(/^signed in /);
  });

  it('finds the account’s server by its DID', async () => {
    const signedIn = await signIn({ handle: alice.did, password: alice.password });
    expect(signedIn).toMatchObject({ code: 0 });
    expect(signedIn.stdout).toContain(` as ${alice.did} `);
  });

  it.each([
    [
      'a wrong password',
      async () => randomBytes(16).toString('hex'),
      'does not know the handle or refuses the password',
    ],
    ['an app password', () => alice.createAppPassword(), 'takes no app password'],
  ])('tells of %s', async (_, passwordOf, message) => {
    const refused = await signIn({ handle: alice.handle, password: await passwordOf(), pds: accounts.url });
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain(message);
    await expect(access(refused.session)).rejects.toThrow();
  });

  it('asks for an e-mailed code at the terminal', async () => {
    await using strict = await startAccountServer();
    await using theirs = await startGateway({ accounts: strict, backing: () => Promise.reject(new Error()) });
    const bob = await strict.createAccount('bob');
    wantEmailCode(strict.pds, code);
    const args = ['--gateway', theirs.url];
    const nobodyThere = await signIn({ ...bob, pds: strict.url }, args);
    expect(nobodyThere.code).toBe(3);
    expect(nobodyThere.stderr).toContain('sent by e-mail');
    const asked = await signIn({ ...bob, pds: strict.url }, args, { answers: ['other', code] });
    expect(asked.stdout).toContain('That code was not accepted. Code: ');
    expect(asked.stdout).toContain(`signed in at ${theirs.url} as ${bob.did}`);
    expect(asked.code).toBe(0);
  });

  it('takes the session over from a browser', async () => {
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(20_000);
      let opened: Promise<void> | undefined;
      // The password is the browser's to type: the file has one that is of no use.
      const signedIn = await signIn(
        { handle: alice.handle, password: randomBytes(16).toString('hex') },
        ['--browser'],
        {
          onTold: (stderr) => {
            const [address] = /^ {2}http:\/\/127\.0\.0\.1:\S+(?=\n)/m.exec(stderr) ?? [];
            if (address) opened ??= inBrowser(address.trim());
          },
        },
      );
      await opened;
      expect(signedIn).toMatchObject({ code: 0 });
      expect(signedIn.stdout).toContain(` as ${alice.did} `);

      async function inBrowser(address: string): Promise<void> {
        await page.goto(address);
        await signInByHand(page, alice);
        await page.getByText('You are signed in.').waitFor();
      }
    } finally {
      await browser.close();
    }
  });

  it('showed neither a password nor a session to anybody', () => {
    expect(product.told()).toContain(alice.did); // what is searched is what was printed
    expect(secrets.size).toBeGreaterThan(5);
    for (const secret of secrets) expect(product.told().includes(secret)).toBe(false);
  });
});
