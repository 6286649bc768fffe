import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type Asked, type SmallServer, sendJson, smallServer } from './small-server.ts';

/** A PDS that is its own authorization server, with the one account that the test made up. */
export interface StandInAccount {
  readonly handle: string;
  readonly did: string;
  readonly password: string;
  readonly appPassword?: string;
  /** Wanted beside the password where it is set. */
  readonly emailCode?: string;
}

type PageForm = 'current' | 'current-by-did' | 'older';

export interface AccountServerOptions {
  readonly account: StandInAccount;
  readonly pages: PageForm;
  /** Answers in place of the server where it returns true. */
  readonly instead?: (asked: Asked, response: ServerResponse) => boolean;
}

export interface StandInAccountServer extends SmallServer {
  /** What PAR does: the address of the page for a new request. */
  readonly push: (clientId: string, redirectUri: string, state: string) => string;
  /** What a person's consent on a page comes to: the address of the client's callback. */
  readonly agree: (page: URL) => string;
  /** Whom a code of ours is for; once. */
  readonly redeem: (code: string) => string | undefined;
}

interface Pushed {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string;
}

const api = '/@atproto/oauth-provider/~api';

/**
 * Checks what @atproto/oauth-provider checks (0.15 for `current`, 0.22 for `current-by-did`, 0.4 for `older`):
 * fetch metadata, origin, referrer, CSRF, device cookies that rotate, and no key too many.
 */
export async function accountServer(options: AccountServerOptions): Promise<StandInAccountServer> {
  const { account, pages } = options;
  const requests = new Map<string, Pushed>();
  const codes = new Map<string, string>();
  const devices = new Map<string, string>(); // session by device
  const tokens = new Map<string, string>(); // request by ephemeral token
  const hex = (bytes: number): string => randomBytes(bytes).toString('hex');
  const server: SmallServer = await smallServer('localhost', (asked, response) => {
    if (options.instead?.(asked, response)) return;
    const wrong = respond(asked, response);
    if (wrong !== undefined) {
      sendJson(response, 400, { error: 'invalid_request', error_description: wrong });
    }
  });
  const csrfName = (requestUri: string): string => (pages === 'older' ? `csrf-${requestUri}` : 'csrf-token');

  /** The reason to refuse, if there is one. */
  function respond(asked: Asked, response: ServerResponse): string | undefined {
    const { pathname } = asked.url;
    if (pathname === '/.well-known/oauth-protected-resource') {
      sendJson(response, 200, { resource: server.origin, authorization_servers: [server.origin] });
    } else if (pathname === '/.well-known/oauth-authorization-server') {
      const authorization_endpoint = `${server.origin}/oauth/authorize`;
      sendJson(response, 200, { issuer: server.origin, authorization_endpoint });
    } else if (pathname === `/${account.did}`) {
      sendJson(response, 200, {
        id: account.did,
        alsoKnownAs: [`at://${account.handle}`],
        service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: server.origin }],
      });
    } else if (pathname === '/oauth/authorize') {
      return authorize(asked, response);
    } else if (pathname === (pages === 'older' ? '/oauth/authorize/sign-in' : `${api}/sign-in`)) {
      return byPage(asked) ?? signIn(asked, response);
    } else if (pathname === `${api}/consent` && pages !== 'older') {
      return byPage(asked) ?? consent(asked, response);
    } else if (pathname === '/oauth/authorize/redirect' && pages !== 'older') {
      return (
        navigated(asked, ['same-origin']) ?? fromPage(asked) ?? redirect(asked.url.searchParams, response)
      );
    } else if (pathname === '/oauth/authorize/accept' && pages === 'older') {
      return navigated(asked, ['same-origin']) ?? fromPage(asked) ?? accept(asked, response);
    } else {
      sendJson(response, 404, { error: 'not_found' });
    }
    return undefined;
  }

  function authorize(asked: Asked, response: ServerResponse): string | undefined {
    const requestUri = asked.url.searchParams.get('request_uri') ?? '';
    const wrong = navigated(asked, ['none', 'cross-site']);
    if (wrong !== undefined) return wrong;
    const pushed = requests.get(requestUri);
    if (pushed?.clientId !== asked.url.searchParams.get('client_id')) return 'unknown request_uri';
    const device = hex(8);
    devices.set(device, hex(8));
    const path = pages === 'older' ? '/oauth/authorize' : '/';
    response
      .writeHead(200, {
        'Content-Type': 'text/html',
        'Set-Cookie': [
          `${csrfName(requestUri)}=${hex(12)}; Path=${path}; SameSite=Lax; Secure`,
          `dev-id=${device}; Path=/; HttpOnly; Secure; Expires=${new Date(Date.now() + 3_600_000).toUTCString()}`,
          `ses-id=${devices.get(device)}; Path=/; HttpOnly; Secure; Max-Age=3600`,
        ],
      })
      .end('<!doctype html><title>Sign in</title>');
    return undefined;
  }

  function signIn(asked: Asked, response: ServerResponse): string | undefined {
    const json = JSON.parse(asked.body);
    const typed = pages === 'older' ? json.credentials : json;
    const keys = ['locale', 'username', 'password', 'emailOtp', 'remember'];
    if (pages !== 'older' && Object.keys(json).some((key) => !keys.includes(key))) return 'Unrecognized key';
    const isAccount = [account.handle, account.did].includes(typed.username);
    if (isAccount && account.appPassword !== undefined && typed.password === account.appPassword) {
      return 'App passwords are not allowed';
    }
    if (!isAccount || typed.password !== account.password) return 'Invalid identifier or password';
    if (account.emailCode !== undefined && typed.emailOtp === undefined) {
      sendJson(response, 401, {
        error: 'second_authentication_factor_required',
        error_description: 'emailOtp authentication factor required (hint: a***@e***)',
        type: 'emailOtp',
        hint: 'a***@e***',
      });
      return undefined;
    }
    if (account.emailCode !== undefined && typed.emailOtp !== account.emailCode) return 'Token is invalid';
    const device = asked.cookies.get('dev-id') ?? '';
    devices.set(device, hex(8));
    response.setHeader('Set-Cookie', `ses-id=${devices.get(device)}; Path=/; HttpOnly; Secure; Max-Age=3600`);
    const token = hex(16);
    tokens.set(token, requestUriOf(asked));
    const name = pages === 'current-by-did' ? 'did' : 'sub';
    const answer = { account: { [name]: account.did }, consentRequired: true };
    sendJson(response, 200, pages === 'older' ? answer : { ...answer, ephemeralToken: token });
    return undefined;
  }

  function consent(asked: Asked, response: ServerResponse): string | undefined {
    const json = JSON.parse(asked.body);
    const name = pages === 'current-by-did' ? 'did' : 'sub';
    if (Object.keys(json).some((key) => key !== name && key !== 'scope')) return 'Unrecognized key';
    const token = (asked.headers.authorization ?? '').replace(/^Bearer /, '');
    const requestUri = requestUriOf(asked);
    if (tokens.get(token) !== requestUri || json[name] !== account.did) return 'not authenticated';
    const url = new URL('/oauth/authorize/redirect', server.origin);
    const pushed = requests.get(requestUri);
    url.searchParams.set('redirect_uri', pushed?.redirectUri ?? '');
    url.searchParams.set('state', pushed?.state ?? '');
    url.searchParams.set('code', newCode(requestUri));
    sendJson(response, 200, { url: url.href });
    return undefined;
  }

  function accept(asked: Asked, response: ServerResponse): string | undefined {
    const query = asked.url.searchParams;
    const requestUri = query.get('request_uri') ?? '';
    const pushed = requests.get(requestUri);
    if (query.get('csrf_token') !== asked.cookies.get(csrfName(requestUri))) return 'Invalid CSRF token';
    if (query.get('account_sub') !== account.did || pushed?.clientId !== query.get('client_id')) {
      return 'not authenticated';
    }
    const { redirectUri, state } = pushed ?? { redirectUri: '', state: '' };
    return redirect(
      new URLSearchParams({ redirect_uri: redirectUri, state, code: newCode(requestUri) }),
      response,
    );
  }

  function redirect(query: URLSearchParams, response: ServerResponse): undefined {
    const url = new URL(query.get('redirect_uri') ?? '');
    for (const name of ['state', 'code']) url.searchParams.set(name, query.get(name) ?? '');
    url.searchParams.set('iss', server.origin);
    response.writeHead(303, { Location: url.href }).end();
  }

  function newCode(requestUri: string): string {
    requests.delete(requestUri);
    const code = `cod-${hex(16)}`;
    codes.set(code, account.did);
    return code;
  }

  function navigated({ headers }: Asked, sites: readonly string[]): string | undefined {
    if (headers['sec-fetch-mode'] !== 'navigate') return 'Missing sec-fetch-mode header';
    if (headers['sec-fetch-dest'] !== 'document') return 'Missing sec-fetch-dest header';
    const site = headers['sec-fetch-site'];
    return typeof site === 'string' && sites.includes(site) ? undefined : 'Forbidden sec-fetch-site header';
  }

  function byPage(asked: Asked): string | undefined {
    const { headers, cookies } = asked;
    if (headers['sec-fetch-mode'] !== 'same-origin') return 'Missing sec-fetch-mode header';
    if (headers['sec-fetch-site'] !== 'same-origin') return 'Missing sec-fetch-site header';
    if (headers.origin !== server.origin) return 'Invalid origin';
    const wrong = fromPage(asked);
    if (wrong !== undefined) return wrong;
    const csrf = pages === 'older' ? JSON.parse(asked.body).csrf_token : headers['x-csrf-token'];
    return csrf !== undefined && csrf === cookies.get(csrfName(requestUriOf(asked)))
      ? undefined
      : 'CSRF mismatch';
  }

  function fromPage(asked: Asked): string | undefined {
    const referrer = new URL(asked.headers.referer ?? 'none:');
    const isPage = referrer.origin === server.origin && referrer.pathname === '/oauth/authorize';
    if (!isPage || !referrer.searchParams.has('request_uri')) return 'Invalid referrer';
    const session = devices.get(asked.cookies.get('dev-id') ?? '');
    return session !== undefined && asked.cookies.get('ses-id') === session ? undefined : 'Unknown device';
  }

  function requestUriOf(asked: Asked): string {
    return new URL(asked.headers.referer ?? 'none:').searchParams.get('request_uri') ?? '';
  }

  return {
    ...server,
    push: (clientId, redirectUri, state) => {
      const requestUri = `urn:ietf:params:oauth:request_uri:req-${hex(16)}`;
      requests.set(requestUri, { clientId, redirectUri, state });
      const url = new URL('/oauth/authorize', server.origin);
      url.searchParams.set('client_id', clientId);
      url.searchParams.set('request_uri', requestUri);
      return url.href;
    },
    agree: (page) => {
      const requestUri = page.searchParams.get('request_uri') ?? '';
      const { redirectUri = '', state = '' } = requests.get(requestUri) ?? {};
      return `${redirectUri}?${new URLSearchParams({ state, code: newCode(requestUri), iss: server.origin })}`;
    },
    redeem: (code) => {
      const did = codes.get(code);
      codes.delete(code);
      return did;
    },
  };
}
