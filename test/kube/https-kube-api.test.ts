import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { RunnerError } from '../../src/base/errors.ts';
import type { ApiCall, KubeApi } from '../../src/kube/kube-api.ts';
import {
  type ApiServer,
  type ApiServerOptions,
  apiServer,
  json,
  type Seen,
  statusBody,
} from './fixtures/api-server.ts';
import { connectProxy } from './fixtures/connect-proxy.ts';
import { base64, connected, kubeconfig } from './fixtures/kubeconfig.ts';
import { type TempFolder, tempFolder } from './fixtures/temp-folder.ts';
import { type IssuedPair, type TestAuthority, testAuthority } from './fixtures/test-authority.ts';

const token = 'the-token-that-nobody-may-see';
const path = '/apis/batch/v1/namespaces/ci/jobs';
const anything = z.unknown();

let folder: TempFolder;
let authority: TestAuthority;
let pair: IssuedPair;
const closers: AsyncDisposable[] = [];

beforeAll(async () => {
  folder = await tempFolder();
  authority = await testAuthority();
  pair = await authority.issue(['127.0.0.1', 'localhost']);
});
afterEach(async () => {
  for (const closer of closers.splice(0).reverse()) await closer[Symbol.asyncDispose]();
});
afterAll(() => folder[Symbol.asyncDispose]());

interface Setup {
  readonly server: ApiServer;
  readonly api: KubeApi;
  readonly traces: readonly string[];
}

async function setUp(
  answer: (seen: Seen, response: ServerResponse) => void,
  more: {
    cluster?: object;
    user?: object;
    environment?: NodeJS.ProcessEnv;
    server?: Partial<ApiServerOptions>;
    host?: string;
  } = {},
): Promise<Setup> {
  const server = await apiServer({ pair, answer, ...more.server });
  const cluster = {
    server: `https://${more.host ?? '127.0.0.1'}:${server.port}`,
    'certificate-authority-data': base64(authority.pem),
    ...more.cluster,
  };
  const file = await folder.write(`kc-${server.port}`, kubeconfig(cluster, more.user ?? { token }));
  const { api, traces } = await connected(file, { environment: more.environment ?? {} });
  closers.push(server, api);
  return { server, api, traces };
}

const ok = (_seen: Seen, response: ServerResponse): void => json(response, 200, { ok: true });

async function failure(api: KubeApi, call: Partial<ApiCall> = {}, schema = anything): Promise<RunnerError> {
  const error = await api.request({ method: 'GET', path, ...call }, schema).then(
    () => new Error('no failure'),
    (thrown) => thrown,
  );
  expect(String(error.stack)).not.toContain(token);
  return error;
}

describe('a request', () => {
  it('carries the token, the query and the base path of the server, over one connection kept alive', async () => {
    const { server, api, traces } = await setUp(ok);
    for (let i = 0; i < 3; i += 1) {
      await api.request({ method: 'GET', path, query: { labelSelector: 'a=b,c' } }, anything);
    }
    expect(server.connections()).toBe(1);
    expect(server.seen[0]).toMatchObject({ method: 'GET', url: `${path}?labelSelector=a%3Db%2Cc` });
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${token}`);
    expect(traces[0]).toMatch(/^GET \/apis\/batch\/v1\/namespaces\/ci\/jobs: 200 after \d+ ms$/);
    expect(traces.join()).not.toContain(token);
  });

  it('opens many connections at once without a word from Node of leaking listeners', async () => {
    const { api } = await setUp(ok);
    const warnings: Error[] = [];
    const hear = (warning: Error): void => void warnings.push(warning);
    process.on('warning', hear);
    await Promise.all(Array.from({ length: 16 }, () => api.request({ method: 'GET', path }, anything)));
    process.off('warning', hear);
    expect(warnings).toEqual([]);
  });

  it('keeps the path of the server in front', async () => {
    const server = await apiServer({ pair, answer: ok });
    const cluster = {
      server: `https://127.0.0.1:${server.port}/clusters/root:a:b/`,
      'certificate-authority-data': base64(authority.pem),
    };
    const { api } = await connected(await folder.write('kc-path', kubeconfig(cluster)));
    closers.push(server, api);
    await api.request({ method: 'GET', path: '/version' }, anything);
    expect(server.seen[0]?.url).toBe('/clusters/root:a:b/version');
    expect(api.server).toBe(`https://127.0.0.1:${server.port}/clusters/root:a:b`);
  });

  it('sends the options of a DELETE with their length, as JSON', async () => {
    const { server, api } = await setUp(ok);
    const body = { kind: 'DeleteOptions', propagationPolicy: 'Background' };
    await api.request({ method: 'DELETE', path: `${path}/a`, body }, anything);
    expect(server.seen[0]?.body).toBe(JSON.stringify(body));
    expect(server.seen[0]?.headers).toMatchObject({
      'content-length': String(JSON.stringify(body).length),
      'content-type': 'application/json',
    });
    expect(server.seen[0]?.headers['transfer-encoding']).toBeUndefined();
  });

  it('sends a PATCH as a merge patch', async () => {
    const { server, api } = await setUp(ok);
    await api.request({ method: 'PATCH', path: `${path}/a`, body: { a: 'ä' } }, anything);
    expect(server.seen[0]?.headers['content-type']).toBe('application/merge-patch+json');
    expect(server.seen[0]?.body).toBe('{"a":"ä"}');
  });

  it('checks the answer against the schema', async () => {
    const { api } = await setUp(ok);
    const schema = z.object({ items: z.array(z.string()) });
    const error = await api.request({ method: 'GET', path }, schema).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'ApiRefused', retry: false });
    expect(error.message).toMatch(/^cannot list jobs\.batch in the namespace ci: .* at items: /);
  });

  it('refuses an answer that is no JSON, and one that never ends', async () => {
    const { api } = await setUp((seen, response) => {
      if (seen.url.endsWith('/text')) response.end('<html>');
      else {
        const chunk = Buffer.alloc(1024 * 1024, 0x20);
        const more = (): void => {
          while (response.write(chunk));
        };
        response.on('drain', more);
        more();
      }
    });
    expect(await failure(api, { path: '/text' })).toMatchObject({ code: 'ApiRefused' });
    expect((await failure(api)).message).toContain('the answer is larger than 67108864 bytes');
  });

  it('is ended by its deadline, by name, and by its signal, with its reason', async () => {
    const { api, server } = await setUp(() => {});
    expect(await failure(api, { timeoutMs: 50 })).toMatchObject({
      code: 'ConnectionLost',
      retry: true,
      message: `the answer to GET ${path} did not come within 0.1 s`,
    });
    const reason = new Error('enough');
    const stop = new AbortController();
    const pending = failure(api, { signal: stop.signal });
    await expect.poll(() => server.seen.length).toBe(2);
    stop.abort(reason);
    expect(await pending).toBe(reason);
  });

  it('that was cut off is a lost connection', async () => {
    const { api } = await setUp((_seen, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('{"a":', () => response.destroy());
    });
    expect(await failure(api)).toMatchObject({ code: 'ConnectionLost', retry: true });
  });
});

describe('a refusal', () => {
  it.each([
    [401, 'Unauthorized', 'GET', 'Unauthorized', false],
    [403, 'Forbidden', 'POST', 'Forbidden', false],
    [404, 'NotFound', 'GET', 'NotFound', false],
    [409, 'AlreadyExists', 'POST', 'AlreadyExists', false],
    [409, 'Conflict', 'PATCH', 'Conflict', false],
    [409, 'Conflict', 'DELETE', 'Conflict', true],
    [422, 'Invalid', 'POST', 'ApiRefused', false],
    [429, 'TooManyRequests', 'GET', 'Throttled', true],
    [500, 'InternalError', 'GET', 'ApiRefused', true],
    [503, 'ServiceUnavailable', 'GET', 'Throttled', true],
    [504, 'Timeout', 'GET', 'ApiRefused', true],
  ] as const)('%i %s to a %s is %s', async (code, reason, method, expected, retry) => {
    const { api } = await setUp((_seen, response) =>
      json(response, code, statusBody(code, reason, 'the server says why')),
    );
    const error = await failure(api, { method });
    expect(error).toMatchObject({ name: 'RunnerError', code: expected, retry });
    expect(error.message).toContain('the server says why');
  });

  it('of a right names verb, resource and namespace', async () => {
    const { api } = await setUp((_seen, response) => json(response, 403, statusBody(403, 'Forbidden', 'no')));
    expect((await failure(api, { method: 'POST' })).message).toMatch(
      /^https:\S+ forbids to create jobs\.batch in the namespace ci: no$/,
    );
    expect((await failure(api, { method: 'DELETE', path: '/api/v1/namespaces/ci/pods/a' })).message).toMatch(
      /forbids to delete pods in the namespace ci/,
    );
    expect((await failure(api, { path: '/api/v1/namespaces/ci/pods/a/log' })).message).toMatch(
      /forbids to get pods\/log in the namespace ci/,
    );
    expect((await failure(api, { path: '/api/v1/nodes' })).message).toMatch(/forbids to list nodes: no/);
    expect((await failure(api, { path: '/version' })).message).toMatch(/forbids to get \/version: no/);
  });

  it('tells how long to wait: Retry-After in seconds and as a date, or the Status', async () => {
    const { api } = await setUp((seen, response) => {
      const body = statusBody(429, 'TooManyRequests', 'busy', { retryAfterSeconds: 7 });
      if (seen.url === '/seconds') json(response, 429, body, { 'Retry-After': '3' });
      else if (seen.url === '/date') {
        json(response, 503, {}, { 'Retry-After': new Date(Date.now() + 60_000).toUTCString() });
      } else json(response, 429, body);
    });
    expect((await failure(api, { path: '/seconds' })).retryAfterMs).toBe(3000);
    expect((await failure(api, { path: '/status' })).retryAfterMs).toBe(7000);
    const { retryAfterMs } = await failure(api, { path: '/date' });
    expect(retryAfterMs).toBeGreaterThan(50_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  });

  it('by a gateway is shown as one line of text, without the token that it repeats', async () => {
    const { api } = await setUp((seen, response) => {
      response.writeHead(502);
      response.end(`<html><style>a{}</style><h1>Bad\u001b[31m gateway</h1>\n${seen.headers.authorization}`);
    });
    const error = await failure(api);
    expect(error.message).toMatch(/: Bad \[31m gateway Bearer \*\*\* \(status 502\)$/);
  });
});

describe('a connection', () => {
  it('that is refused says so for every address that was tried', async () => {
    const { server, api } = await setUp(ok, { host: 'localhost' });
    await server[Symbol.asyncDispose]();
    const error = await failure(api);
    expect(error).toMatchObject({ code: 'ConnectionLost', retry: true });
    expect(error.message).toMatch(/^the connection to https:\/\/localhost:\d+ failed: .*ECONNREFUSED/);
  });

  it('to a server of another CA names the host and the CA, and cannot be talked into it', async () => {
    const other = await testAuthority('other CA');
    const { api, server } = await setUp(ok, {
      cluster: { 'certificate-authority-data': base64(other.pem) },
      environment: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    });
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      const error = await failure(api);
      expect(error).toMatchObject({ code: 'ConnectionLost', retry: false });
      expect(error.message).toMatch(
        /^the certificate of https:\/\/127\.0\.0\.1:\d+ was not accepted: .* checked against the certificate-authority-data of the cluster "east" of the kubeconfig/,
      );
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
    expect(server.seen).toEqual([]);
  });

  it('without a CA is checked against the roots of this machine', async () => {
    const { api } = await setUp(ok, { cluster: { 'certificate-authority-data': '' } });
    expect((await failure(api)).message).toContain('checked against the trusted roots of this machine');
    const file = await folder.write('roots.pem', authority.pem);
    const trusting = await setUp(ok, {
      cluster: { 'certificate-authority-data': '' },
      environment: { SSL_CERT_FILE: file },
    });
    await trusting.api.request({ method: 'GET', path }, anything);
  });

  it('is not verified where the kubeconfig says so, and only there', async () => {
    const cluster = { 'certificate-authority-data': '', 'insecure-skip-tls-verify': true };
    const { api } = await setUp(ok, { cluster });
    expect(await api.request({ method: 'GET', path }, anything)).toEqual({ ok: true });
  });

  it('checks the certificate for tls-server-name, be it a name or an address', async () => {
    const named = await authority.issue(['kubernetes.default.svc', '10.0.0.1']);
    for (const name of ['kubernetes.default.svc', '10.0.0.1']) {
      const { api } = await setUp(ok, { cluster: { 'tls-server-name': name }, server: { pair: named } });
      expect(await api.request({ method: 'GET', path }, anything)).toEqual({ ok: true });
    }
    const { api } = await setUp(ok, { server: { pair: named } });
    expect((await failure(api)).message).toMatch(/IP: 127\.0\.0\.1 .*tls-server-name in the kubeconfig/s);
  });

  it('takes up the TLS session of the one before', async () => {
    const { server, api } = await setUp((seen, response) => {
      if (seen.url === '/close') response.setHeader('Connection', 'close');
      ok(seen, response);
    });
    await api.request({ method: 'GET', path: '/close' }, anything);
    await api.request({ method: 'GET', path: '/close' }, anything);
    expect(server.connections()).toBe(2);
    expect(server.seen.map((seen) => seen.sessionReused)).toEqual([false, true]);
  });

  it('shows a client certificate, from files beside the kubeconfig or inline', async () => {
    const client = await authority.issue(['somebody']);
    await folder.write('client.pem', client.certificate);
    await folder.write('client.key', client.key);
    await folder.write('ca.pem', authority.pem);
    const inline = {
      'client-certificate-data': base64(client.certificate),
      'client-key-data': base64(client.key),
    };
    const files = { 'client-certificate': 'client.pem', 'client-key': './client.key' };
    const cluster = { 'certificate-authority-data': '', 'certificate-authority': 'ca.pem' };
    for (const user of [inline, files]) {
      const { server, api } = await setUp(ok, { user, cluster, server: { clientAuthority: authority.pem } });
      await api.request({ method: 'GET', path }, anything);
      expect(server.seen[0]).toMatchObject({ peer: 'somebody' });
      expect(server.seen[0]?.headers.authorization).toBeUndefined();
    }
  });

  it('with a client certificate that is broken is bad input', async () => {
    const client = await authority.issue(['somebody']);
    const user = {
      'client-certificate-data': base64(client.certificate),
      'client-key-data': base64(pair.key),
    };
    const { api } = await setUp(ok, { user });
    expect(await failure(api)).toMatchObject({ code: 'BadInput' });
  });

  it('sends user name and password, with a password that no error shows', async () => {
    const user = { username: 'somebody', password: token };
    const { server, api, traces } = await setUp(
      (seen, response) =>
        json(response, 401, statusBody(401, 'Unauthorized', `${seen.headers.authorization} ${token}`)),
      { user },
    );
    const error = await failure(api);
    expect(error.message).not.toContain(base64(`somebody:${token}`));
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]?.headers.authorization).toBe(`Basic ${base64(`somebody:${token}`)}`);
    expect(traces.join()).not.toContain(token);
  });

  it('acts as another where the kubeconfig says so', async () => {
    const user = { token, as: 'other', 'as-groups': ['a', 'b'], 'as-user-extra': { 'x/y': ['1'] } };
    const { server, api } = await setUp(ok, { user });
    await api.request({ method: 'GET', path }, anything);
    expect(server.seen[0]?.headers).toMatchObject({
      'impersonate-user': 'other',
      'impersonate-group': 'a, b',
      'impersonate-extra-x%2fy': '1',
    });
    await expect(setUp(ok, { user: { 'as-groups': ['a'] } })).rejects.toThrow(/as-groups .* without "as"/);
  });

  it('to a plain http server sends no credentials, as kubectl', async () => {
    const { createServer } = await import('node:http');
    const seen: (string | undefined)[] = [];
    const plain = createServer((request, response) => {
      seen.push(request.headers.authorization);
      json(response, 200, {});
    });
    await new Promise<void>((resolve) => {
      plain.listen(0, '127.0.0.1', resolve);
    });
    const address = plain.address();
    const port = address && typeof address === 'object' ? address.port : 0;
    const file = await folder.write(
      'kc-plain',
      kubeconfig({ server: `http://127.0.0.1:${port}` }, { token }),
    );
    const { api } = await connected(file);
    await api.request({ method: 'GET', path }, anything);
    await api[Symbol.asyncDispose]();
    plain.close();
    expect(seen).toEqual([undefined]);
  });

  it('that was closed refuses further calls', async () => {
    const { api } = await setUp(ok);
    await api[Symbol.asyncDispose]();
    expect(await failure(api)).toMatchObject({ code: 'ConnectionLost' });
  });
});

describe('the way through a proxy', () => {
  const named = 'k8s.example.test';
  const through = async (
    proxyOptions: { user?: string; pair?: IssuedPair; silent?: boolean },
    configure: (address: string) => { cluster?: object; environment?: NodeJS.ProcessEnv },
  ) => {
    const server = await apiServer({ pair: await authority.issue([named]), answer: ok });
    const proxy = await connectProxy({ ...proxyOptions, port: server.port });
    const { cluster, environment = {} } = configure(`127.0.0.1:${proxy.port}`);
    const file = await folder.write(
      `kc-${server.port}`,
      kubeconfig(
        { server: `https://${named}:6443`, 'certificate-authority-data': base64(authority.pem), ...cluster },
        { token },
      ),
    );
    const { api } = await connected(file, { environment });
    closers.push(server, proxy, api);
    return { server, proxy, api };
  };

  it.each([
    ['proxy-url', (address: string) => ({ cluster: { 'proxy-url': `http://${address}` } })],
    ['HTTPS_PROXY', (address: string) => ({ environment: { HTTPS_PROXY: `http://${address}` } })],
    ['https_proxy without a scheme', (address: string) => ({ environment: { https_proxy: address } })],
  ])('is taken by %s', async (_name, configure) => {
    const { proxy, server, api } = await through({}, configure);
    for (let i = 0; i < 2; i += 1) await api.request({ method: 'GET', path }, anything);
    expect(proxy.asked).toEqual([`${named}:6443`]);
    expect(server.seen).toHaveLength(2);
  });

  it('may be over TLS, and with a password', async () => {
    const { proxy, api } = await through({ pair, user: 'me:p@ss' }, (address) => ({
      cluster: { 'proxy-url': `https://me:p%40ss@${address}` },
    }));
    await api.request({ method: 'GET', path }, anything);
    expect(proxy.asked).toHaveLength(1);
  });

  it('that the proxy refuses is named, without the password', async () => {
    const { api } = await through({ user: 'me:other' }, (address) => ({
      environment: { HTTPS_PROXY: `http://me:p4ssw0rd@${address}` },
    }));
    const error = await failure(api);
    expect(error).toMatchObject({ code: 'ConnectionLost', retry: false });
    expect(error.message).toMatch(
      /^the proxy http:\/\/127\.0\.0\.1:\d+ refused the way to k8s\.example\.test:6443 with status 407/,
    );
    expect(String(error.stack)).not.toContain('p4ssw0rd');
  });

  it('that never answers ends with the deadline of the call', async () => {
    const { api } = await through({ silent: true }, (address) => ({
      cluster: { 'proxy-url': `http://${address}` },
    }));
    expect(await failure(api, { timeoutMs: 50 })).toMatchObject({ code: 'ConnectionLost', retry: true });
  });

  it('that never answers does not hold an exec, nor the closing of the connection', async () => {
    const { api, proxy } = await through({ silent: true }, (address) => ({
      cluster: { 'proxy-url': `http://${address}` },
    }));
    const stop = new AbortController();
    const reason = new Error('enough');
    const call = { namespace: 'ci', pod: 'p', container: 'run', command: ['true'], signal: stop.signal };
    const exec = api.exec(call).catch((error) => error);
    await expect.poll(() => proxy.asked.length).toBe(1);
    stop.abort(reason);
    expect(await exec).toBe(reason);
    const pending = failure(api);
    await expect.poll(() => proxy.asked.length).toBe(2);
    await api[Symbol.asyncDispose]();
    expect(await pending).toMatchObject({ code: 'ConnectionLost' });
  });

  it('is not taken where NO_PROXY says so: the dead proxy is not asked', async () => {
    const { api } = await through({}, () => ({
      environment: { HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY: 'example.test' },
    }));
    // the name exists nowhere, so the direct way fails in its own words
    expect((await failure(api)).message).toMatch(/k8s\.example\.test/);
    expect((await failure(api)).message).not.toMatch(/the proxy/);
  });
});
