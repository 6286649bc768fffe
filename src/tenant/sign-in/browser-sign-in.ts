import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { withDeadline } from '../../base/deadline.ts';
import { badInput, RunnerError } from '../../base/errors.ts';
import { gatewayUrl } from '../gateway/gateway-url.ts';
import type { GatewayProfile } from '../profile/profile-schema.ts';
import type { WebClient } from '../web/web-client.ts';
import { oneLine, refusalError } from '../web/web-refusal.ts';
import { type ExpectedOwner, establishSession } from './establish-session.ts';
import type { Session } from './session.ts';

const patienceMs = 10 * 60_000;

export interface BrowserSignIn {
  readonly profile: GatewayProfile;
  readonly expected: ExpectedOwner;
  readonly client: WebClient;
  readonly random: (bytes: number) => Buffer;
  /** Shows a person the address to open. */
  readonly showAddress: (address: URL) => Promise<void>;
  readonly signal: AbortSignal;
}

type Handover = NonNullable<GatewayProfile['browser']>;

/**
 * Signs in with a browser: it goes through the gateway's own sign-in, and the gateway sends it back to a loopback
 * address with a one-time code, which is worth a session only together with a verifier that never left here.
 */
export async function signInByBrowser(request: BrowserSignIn): Promise<Session> {
  const { profile, expected, client, signal } = request;
  const { browser } = profile;
  if (browser === null) {
    throw badInput(
      '--browser: the gateway hands over no session from a browser (browser is null in its profile)',
    );
  }
  const verifier = request.random(32).toString('base64url');
  const code = await codeFromBrowser(request, browser, verifier);
  const { exchange } = browser;
  const asked = "the gateway's exchange of the browser's code";
  const answer = await client.send({
    method: exchange.method,
    url: gatewayUrl(profile, exchange.path),
    asked,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
    body: new URLSearchParams({ [exchange.codeField]: code, [exchange.verifierField]: verifier }).toString(),
    signal,
  });
  if (answer.status >= 300) throw refusalError(answer, asked, client.clock.date());
  return establishSession(profile, expected, client, signal);
}

async function codeFromBrowser(request: BrowserSignIn, browser: Handover, verifier: string): Promise<string> {
  const { profile, expected, client, random, showAddress, signal } = request;
  const state = random(16).toString('base64url');
  const start = `/${random(16).toString('base64url')}`;
  const server = createServer();
  try {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const here = new URL(`http://127.0.0.1:${portOf(server)}`);
    const begin = gatewayUrl(profile, browser.begin);
    if (expected.identifier !== undefined) {
      begin.searchParams.set(browser.handleParameter, expected.identifier);
    }
    begin.searchParams.set(browser.returnParameter, new URL('/callback', here).href);
    begin.searchParams.set(browser.stateParameter, state);
    begin.searchParams.set(
      browser.challengeParameter,
      createHash('sha256').update(verifier).digest('base64url'),
    );
    const code = codeOf(server, { browser, state, start, begin });
    code.catch(() => {}); // heard below
    // the address of here, so that the handle is not shown
    await showAddress(new URL(start, here));
    const deadline = {
      name: 'the browser, coming back from the gateway (does its gateway hand sessions over?),',
      ms: patienceMs,
      code: 'Unauthorized' as const,
    };
    return await withDeadline(client.clock, deadline, signal, () => code);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

interface Expected {
  readonly browser: Handover;
  readonly state: string;
  readonly start: string;
  readonly begin: URL;
}

function codeOf(server: Server, { browser, state, start, begin }: Expected): Promise<string> {
  return new Promise((resolve, reject) => {
    server.on('request', (request, response) => {
      const url = new URL(request.url ?? '/', 'http://127.0.0.1');
      const query = url.searchParams;
      if (url.pathname === start) {
        response.writeHead(302, { Location: begin.href, 'Cache-Control': 'no-store' }).end();
      } else if (url.pathname !== '/callback' || query.get(browser.stateParameter) !== state) {
        page(response, 404, 'This is not the sign-in that was begun. Look at the terminal.');
      } else if (query.has(browser.codeParameter)) {
        // resolved once the page is out, since the server is closed then
        page(response, 200, 'You are signed in. You can close this page.', () => {
          resolve(query.get(browser.codeParameter) ?? '');
        });
      } else {
        const why = oneLine(query.get('error_description') ?? query.get('error') ?? 'no reason was given');
        page(response, 200, 'The sign-in failed. Look at the terminal.', () => {
          reject(new RunnerError('Unauthorized', `the gateway did not sign in: ${why}`));
        });
      }
    });
  });
}

function page(response: ServerResponse, status: number, text: string, done = (): void => {}): void {
  response
    .writeHead(status, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      Connection: 'close',
    })
    .once('close', done)
    .end(`${text}\n`);
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
