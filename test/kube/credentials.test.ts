import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { redact } from '../../src/kube/credentials/redact.ts';
import { tokenFileCredential } from '../../src/kube/credentials/token-file.ts';
import { type ApiServer, type ApiServerOptions, apiServer, json, statusBody } from './fixtures/api-server.ts';
import { base64, connected, kubeconfig } from './fixtures/kubeconfig.ts';
import { manualClock } from './fixtures/manual-clock.ts';
import { type TempFolder, tempFolder } from './fixtures/temp-folder.ts';
import { type IssuedPair, type TestAuthority, testAuthority } from './fixtures/test-authority.ts';

let folder: TempFolder;
let authority: TestAuthority;
let pair: IssuedPair;
let server: ApiServer;
/** The server takes these tokens. */
let good: Set<string>;
const closers: AsyncDisposable[] = [];

beforeAll(async () => {
  authority = await testAuthority();
  pair = await authority.issue(['127.0.0.1']);
});
beforeEach(async () => {
  folder = await tempFolder();
  good = new Set();
  await serve({});
});
afterEach(async () => {
  for (const closer of closers.splice(0).reverse()) await closer[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function serve(options: Partial<ApiServerOptions>): Promise<void> {
  server = await apiServer({
    pair,
    answer: (seen, response) => {
      const token = seen.headers.authorization?.replace('Bearer ', '') ?? '';
      if (good.has(token) || seen.peer) json(response, 200, {});
      else json(response, 401, statusBody(401, 'Unauthorized', 'Unauthorized'));
    },
    ...options,
  });
  closers.push(server);
}

const get = { method: 'GET', path: '/api/v1/namespaces/ci/pods' } as const;

async function connectAs(user: object, options: Parameters<typeof connected>[1] = {}, cluster: object = {}) {
  const file = await folder.write(
    'kc',
    kubeconfig(
      {
        server: `https://127.0.0.1:${server.port}`,
        'certificate-authority-data': base64(authority.pem),
        ...cluster,
      },
      user,
    ),
  );
  const connection = await connected(file, { environment: { PATH: process.env.PATH }, ...options });
  closers.push(connection.api);
  const ask = () =>
    connection.api.request(get, z.unknown()).then(
      () => 'ok',
      (error) => `${error.code}: ${error.message}`,
    );
  return { ...connection, ask };
}

const sent = (): string[] =>
  server.seen.map((seen) => seen.headers.authorization?.replace('Bearer ', '') ?? '');

const jwt = (claims: object): string =>
  ['{"alg":"none"}', JSON.stringify(claims), 'x']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');

describe('a token file', () => {
  it('beside the kubeconfig is read again when the server refuses what was read, once', async () => {
    await folder.write('token', 'first-token\n');
    const { ask } = await connectAs({ tokenFile: 'token', token: 'unused-token' });
    good.add('first-token');
    expect(await ask()).toBe('ok');
    good = new Set(['second-token']);
    await folder.write('token', 'second-token\n');
    expect(await ask()).toBe('ok');
    expect(sent()).toEqual(['first-token', 'first-token', 'second-token']);
    good.clear();
    expect(await ask()).toMatch(/^Unauthorized: https:\S+ refused the credentials: Unauthorized; sign in/);
    expect(sent()).toHaveLength(4); // the file had nothing newer
  });

  it('is read again before what was read is a minute old, and stands while it is missing', async () => {
    const file = await folder.write('token', 'one');
    const clock = manualClock();
    const source = tokenFileCredential(file, clock);
    const header = async () => (await source.current()).authorization;
    expect(await header()).toBe('Bearer one');
    await writeFile(file, 'two');
    clock.advance(10_000);
    expect(await header()).toBe('Bearer one');
    clock.advance(49_000);
    expect(await header()).toBe('Bearer two');
    await writeFile(file, '');
    clock.advance(60_000);
    expect(await header()).toBe('Bearer two');
  });

  it('that is missing, empty, or no token is bad input that names it', async () => {
    const { ask } = await connectAs({ tokenFile: 'token' });
    expect(await ask()).toBe(
      `BadInput: the token file ${join(folder.path, 'token')} of the kubeconfig cannot be read (ENOENT)`,
    );
    await folder.write('token', '\n');
    expect(await ask()).toMatch(/^BadInput: the token file \S+ of the kubeconfig is empty/);
    await folder.write('token', 'a b\u0000');
    expect(await ask()).toMatch(/^BadInput: the token file \S+ of the kubeconfig holds no bearer token/);
  });
});

describe('a credential plugin', () => {
  const v1 = 'client.authentication.k8s.io/v1';
  const script = (text: string) => folder.write('plugin', `#!/bin/sh\n${text}\n`, 0o700);
  const plugin = (more: object = {}) => ({
    exec: { apiVersion: v1, command: './plugin', interactiveMode: 'Never', ...more },
  });
  const answer = (status: object, apiVersion = v1) =>
    `cat <<'END'\n${JSON.stringify({ apiVersion, kind: 'ExecCredential', status })}\nEND`;

  it('is run once for many calls, with its arguments, its environment and ours', async () => {
    await script(
      `echo run >>"$0.runs"; echo "$0 $* $MINE $OURS $KUBERNETES_EXEC_INFO" >"$0.told"; ${answer({ token: 'from-plugin' })}`,
    );
    good.add('from-plugin');
    const exec = plugin({ args: ['a', 'b c'], env: [{ name: 'MINE', value: 'mine' }] });
    const { ask, traces } = await connectAs(exec, { environment: { PATH: process.env.PATH, OURS: 'ours' } });
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(['ok', 'ok', 'ok']);
    expect(await readBack('plugin.runs')).toBe('run\n');
    expect(await readBack('plugin.told')).toBe(
      `${join(folder.path, 'plugin')} a b c mine ours {"apiVersion":"${v1}","kind":"ExecCredential","spec":{"interactive":false}}\n`,
    );
    expect(traces.join()).not.toContain('from-plugin');
  });

  it('is told of the cluster where the kubeconfig says so', async () => {
    await script(`echo "$KUBERNETES_EXEC_INFO" >"$0.told"; ${answer({ token: 'from-plugin' })}`);
    good.add('from-plugin');
    const config = { audience: 'a' };
    const extensions = [{ name: 'client.authentication.k8s.io/exec', extension: config }];
    const { ask } = await connectAs(plugin({ provideClusterInfo: true }), {}, { extensions });
    expect(await ask()).toBe('ok');
    expect(JSON.parse(await readBack('plugin.told')).spec).toEqual({
      cluster: {
        server: `https://127.0.0.1:${server.port}`,
        'certificate-authority-data': base64(authority.pem),
        config,
      },
      interactive: false,
    });
  });

  it('is run again when the server refuses what it gave', async () => {
    await script(
      `echo x >>"$0.runs"; n=$(wc -l <"$0.runs"); echo '{"apiVersion":"${v1}","kind":"ExecCredential","status":{"token":"token-'$((n))'"}}'`,
    );
    good.add('token-1').add('token-3');
    const { ask } = await connectAs(plugin());
    expect(await ask()).toBe('ok');
    good.delete('token-1');
    expect(await ask()).toMatch(/^Unauthorized/); // token-2, once
    expect(await ask()).toBe('ok');
    expect(sent()).toEqual(['token-1', 'token-1', 'token-2', 'token-2', 'token-3']);
  });

  it('is run again when what it gave has ended', async () => {
    await script(
      `echo x >>"$0.runs"; ${answer({ token: 'short-lived', expirationTimestamp: '2030-01-01T01:00:00Z' }, 'client.authentication.k8s.io/v1beta1')}`,
    );
    good.add('short-lived');
    const clock = manualClock(new Date('2030-01-01T00:00:00Z'), true);
    const exec = plugin({ apiVersion: 'client.authentication.k8s.io/v1beta1', interactiveMode: null });
    const { ask, api } = await connectAs(exec, { clock });
    expect(await ask()).toBe('ok');
    expect(await ask()).toBe('ok');
    expect(await readBack('plugin.runs')).toBe('x\n');
    expect(await api.credentialExpiry()).toEqual({ at: new Date('2030-01-01T01:00:00Z'), renewable: true });
    clock.advance(3_600_000);
    expect(await ask()).toBe('ok');
    expect(await readBack('plugin.runs')).toBe('x\nx\n');
  });

  it('may give a client certificate', async () => {
    await server[Symbol.asyncDispose]();
    await serve({ clientAuthority: authority.pem });
    const client = await authority.issue(['by-plugin']);
    await script(answer({ clientCertificateData: client.certificate, clientKeyData: client.key }));
    const { ask } = await connectAs(plugin());
    expect(await ask()).toBe('ok');
    expect(server.seen[0]?.peer).toBe('by-plugin');
  });

  it('gives way to a token in the kubeconfig', async () => {
    await script('exit 1');
    good.add('static-token');
    const { ask } = await connectAs({ ...plugin(), token: 'static-token' });
    expect(await ask()).toBe('ok');
  });

  it.each([
    [
      'fails',
      'echo "no session; TOKEN=abcdef123456 and hidden-value" >&2; exit 3',
      'ended with 3: no session; TOKEN=*** and ***',
    ],
    ['fails silently', 'exit 3', 'ended with 3 and said nothing'],
    ['is killed', 'kill -9 $$', 'was ended by SIGKILL'],
    ['prints no JSON', 'echo secret-text', 'printed something that is not JSON'],
    ['prints another kind', 'echo "{}"', 'printed no valid ExecCredential (wrong at apiVersion)'],
    [
      'answers in another version',
      answer({ token: 'secret-text' }, 'client.authentication.k8s.io/v1beta1'),
      'answered in another apiVersion',
    ],
    ['gives nothing', answer({}), 'gave neither a token nor a client certificate'],
    [
      'gives half a certificate',
      answer({ clientCertificateData: 'secret-text' }),
      'gave a client certificate without its key',
    ],
    [
      'gives a token with a line break',
      answer({ token: 'secret\ntext' }),
      'gave a token that cannot be sent',
    ],
    [
      'gives a bad date',
      answer({ token: 'secret-text', expirationTimestamp: 'secret-text' }),
      '(wrong at status.expirationTimestamp)',
    ],
    ['prints without end', 'cat /dev/zero', 'was ended by SIGKILL'],
  ])('that %s is an error without what it printed', async (_name, text, message) => {
    await script(text);
    const { ask, traces } = await connectAs(plugin({ env: [{ name: 'V', value: 'hidden-value' }] }));
    const said = await ask();
    expect(said).toMatch(/^Unauthorized: the credential plugin /);
    expect(said).toContain(message);
    expect(said + traces.join()).not.toMatch(/secret.?text|abcdef123456|hidden-value/);
  });

  it('that is not there is bad input, with the hint how to install it', async () => {
    const { ask } = await connectAs(
      plugin({ command: 'no-such-plugin', installHint: 'get it at example.org' }),
    );
    expect(await ask()).toBe(
      'BadInput: the credential plugin no-such-plugin was not found\nget it at example.org',
    );
  });

  it('that hangs is ended at its deadline, with the processes that it started', async () => {
    await script('sleep 1000 & echo $! >"$0.child"; : >"$0.ready"; wait');
    const clock = manualClock(new Date(), true);
    const { ask } = await connectAs(plugin(), { clock });
    const said = ask();
    await expect.poll(() => readBack('plugin.ready').catch(() => null)).toBe('');
    clock.advance(60_000);
    expect(await said).toMatch(
      /^Unauthorized: the answer of the credential plugin .* did not come within 60 s/,
    );
    const child = Number(await readBack('plugin.child'));
    await expect.poll(() => isAlive(child)).toBe(false);
  });

  it('that hangs is ended when the connection is closed', async () => {
    await script('echo $$ >"$0.pid"; exec sleep 1000');
    const { ask, api } = await connectAs(plugin());
    const said = ask();
    await expect.poll(() => readBack('plugin.pid').catch(() => '')).toMatch(/\d+\n/);
    await api[Symbol.asyncDispose]();
    expect(await said).toMatch(/^ConnectionLost: .* was closed/);
    const pid = Number(await readBack('plugin.pid'));
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('that may ask at the terminal shows what it says there', async () => {
    await script(`echo "visit example.org" >&2; ${answer({ token: 'from-plugin' })}`);
    good.add('from-plugin');
    const shown: string[] = [];
    const { ask } = await connectAs(plugin({ interactiveMode: 'IfAvailable' }), {
      showToPerson: (text) => shown.push(text),
    });
    expect(await ask()).toBe('ok');
    expect(shown.join('')).toBe('visit example.org\n');
  });

  async function readBack(name: string): Promise<string> {
    return readFile(join(folder.path, name), 'utf8');
  }

  /** A zombie that nobody has reaped yet is not alive. */
  async function isAlive(pid: number): Promise<boolean> {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-p', String(pid)]).catch(() => ({
      stdout: '',
    }));
    return stdout.trim() !== '' && !stdout.startsWith('Z');
  }
});

describe('the end of credentials', () => {
  it('is read from a JSON web token', async () => {
    const exp = Math.floor(Date.parse('2031-02-03T04:05:06Z') / 1000);
    const { api } = await connectAs({ token: jwt({ exp }) });
    expect(await api.credentialExpiry()).toEqual({ at: new Date('2031-02-03T04:05:06Z'), renewable: false });
  });

  it('is read from a client certificate, and the earlier one counts', async () => {
    const at = new Date('2029-05-05T05:05:05Z');
    const client = await authority.issue(['somebody'], at);
    const user = {
      'client-certificate-data': base64(client.certificate),
      'client-key-data': base64(client.key),
      token: jwt({ exp: Date.parse('2030-01-01') / 1000 }),
    };
    const { api } = await connectAs(user);
    expect(await api.credentialExpiry()).toEqual({ at, renewable: false });
  });

  it('is not known of other tokens', async () => {
    for (const token of ['opaque-token', 'a.b.c', jwt({}), jwt({ exp: 'x' })]) {
      const { api } = await connectAs({ token });
      expect(await api.credentialExpiry()).toBeNull();
    }
  });
});

describe('inside a pod, without a kubeconfig', () => {
  it('the service account is used, its token being read again', async () => {
    await folder.write('token', 'pod-token');
    await folder.write('ca.crt', authority.pem);
    await folder.write('namespace', 'team\n');
    good.add('pod-token');
    const environment = {
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: String(server.port),
    };
    const options = { environment, kubeconfig: undefined, serviceAccountFolder: folder.path };
    const { api } = await connected('', options);
    closers.push(api);
    await api.request(get, z.unknown());
    expect(api.namespace).toBe('team');
    good = new Set(['newer-token']);
    await folder.write('token', 'newer-token');
    await api.request(get, z.unknown());
    expect(sent()).toEqual(['pod-token', 'pod-token', 'newer-token']);
  });
});

describe('redaction', () => {
  it.each([
    ['Authorization: Bearer abcdefgh12345', 'Authorization: Bearer ***'],
    ['"access_token":"abcdefgh12345"', '"access_token":"***"'],
    ['password=hunter2hunter2 user=me', 'password=*** user=me'],
    [`got ${jwt({ exp: 1 })}.`, 'got ***.'],
    ['-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- tail', '*** tail'],
    ['the token has ended', 'the token has ended'],
  ])('of %s', (text, clean) => {
    expect(redact(text)).toBe(clean);
  });
});
