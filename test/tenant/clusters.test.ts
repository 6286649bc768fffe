import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readText, type Stage, type StageOptions, stage } from './support/stage.ts';

const token = 'admin-token-that-nobody-may-see';
const configOf = (server: string, more = '', user = `token: ${token}`): string =>
  `apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "${server}"${more}}}]
users: [{name: u, user: {${user}}}]
`;
const server = 'https://127.0.0.1:6443/clusters/accounts:x:knotless-poc:clusters';

async function signedIn(options: StageOptions = {}): Promise<Stage> {
  const at = await stage({ ...options, gateway: { kubeconfig: () => configOf(server), ...options.gateway } });
  expect(await at.signIn()).toMatchObject({ code: 0 });
  return at;
}

const coming = [
  { phase: 'Initializing', conditions: [] },
  {
    phase: 'Initializing',
    conditions: [
      { type: 'ControlPlane', status: 'False', reason: 'Pulling', message: 'pulls \u001b[31mk3s' },
    ],
  },
  { phase: 'Ready', URL: server, conditions: [{ type: 'ControlPlane', status: 'True' }] },
];

test('a cluster from create to delete, each call twice', async () => {
  await using at = await signedIn({ gateway: { coming, drains: 2 } });
  const made = await at.tenant(['create']);
  expect(made).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/knotless-poc is Ready; no node now, as is normal/),
  });
  expect(made.stderr).toContain(
    'waits for knotless-poc to be Ready: Initializing; ControlPlane is False (Pulling): pulls [31mk3s',
  );
  expect(made.stderr).not.toContain('\u001b');
  expect(await at.tenant(['create'])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('there already'),
  });

  const told = await at.tenant(['status']);
  expect(told.stdout).toMatch(/knotless-poc +Ready +no node now/);
  const json = await at.tenant(['status', '--cluster', 'knotless-poc', '-o', 'json']);
  expect(JSON.parse(json.stdout)).toMatchObject({
    schemaVersion: 1,
    session: { did: at.account.did },
    clusters: [{ name: 'knotless-poc', phase: 'Ready', url: server, node: null }],
  });

  const path = join(at.stateFolder, 'knotless-poc.kubeconfig.yaml');
  for (const _ of ['first', 'again']) {
    const got = await at.tenant(['kubeconfig']);
    expect(got).toMatchObject({ code: 0, stdout: `${path}\n` });
    expect(got.stderr).not.toContain(token);
  }
  expect(await readText(path)).toBe(configOf(server));
  await writeFile(join(at.stateFolder, 'knotless-runner.kubeconfig.yaml'), configOf(server), { mode: 0o600 });
  await writeFile(join(at.stateFolder, 'other.kubeconfig.yaml'), configOf('https://other.example'), {
    mode: 0o600,
  });
  expect(await at.stateFiles()).toContain('knotless-poc.kubeconfig.yaml 600');

  const gone = await at.tenant(['delete']);
  expect(gone).toMatchObject({ code: 0, stdout: expect.stringContaining('knotless-poc is gone; removed') });
  expect(gone.stderr).toContain('Draining; Drained is False (NodeLeaving): the node is being drained');
  expect(await at.stateFiles()).toEqual(['knotless-poc.deleted.json 600', 'other.kubeconfig.yaml 600']);
  expect(at.gateway.clusters.size).toBe(0);
  expect(await at.tenant(['delete'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('was deleted at'),
  });
  expect(await at.tenant(['delete', '--cluster', 'other'])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('not signed in'),
  });

  await at.signIn();
  expect(await at.tenant(['delete'])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('has no cluster'),
  });
});

test('the session stays while the account has another cluster', async () => {
  await using at = await signedIn();
  await at.tenant(['create', '--cluster', 'one']);
  await at.tenant(['create', '--cluster', 'two']);
  const gone = await at.tenant(['delete', '--cluster', 'one']);
  expect(gone).toMatchObject({ code: 0, stdout: expect.stringContaining('signed in still') });
  expect(await at.tenant(['status'])).toMatchObject({ code: 0, stdout: expect.stringContaining('two') });
});

test('a delete that cannot find what is listed says so, and removes nothing', async () => {
  await using at = await signedIn();
  await at.tenant(['create']);
  await at.tenant(['kubeconfig']);
  const profile = await at.write('profile.json', '{"clusters": {"read": {"path": "/api/other/{name}"}}}');
  expect(await at.tenant(['delete', '--profile-file', profile])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('is clusters.read of the profile right?'),
  });
  expect(await at.stateFiles()).toEqual(['knotless-poc.kubeconfig.yaml 600', 'session.json 600']);
});

test('a delete that the gateway forbids to see is not taken for gone', async () => {
  let isForbidden = false;
  await using at = await signedIn({
    gateway: {
      instead: ({ url }, response) => {
        if (!isForbidden || !url.pathname.startsWith('/api/clusters')) return false;
        response.writeHead(403).end('{"error":"Forbidden","message":"the account is suspended"}');
        return true;
      },
    },
  });
  await at.tenant(['create']);
  isForbidden = true;
  expect(await at.tenant(['delete'])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('the account is suspended'),
  });
});

describe('create', () => {
  test('tells of a name that is taken', async () => {
    await using at = await signedIn();
    at.gateway.clusters.set('knotless-poc', { owner: 'did:plc:other', statuses: [{}], draining: false });
    expect(await at.tenant(['create'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('is taken'),
    });
  });

  test('waits for one that is just going', async () => {
    await using at = await signedIn();
    const statuses = [{ phase: 'Draining' }, { phase: 'Draining' }];
    at.gateway.clusters.set('knotless-poc', { owner: at.account.did, statuses, draining: true });
    const made = await at.tenant(['create']);
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('just being deleted (Draining)') });
  });

  test('tells why the gateway gave it up', async () => {
    const message = 'no machine is free';
    const conditions = [{ type: 'Instance', status: 'False', reason: 'Timeout', message }];
    await using at = await signedIn({
      gateway: { coming: [{ phase: 'Initializing' }, { phase: 'Unavailable', conditions }] },
    });
    const { code, stderr } = await at.tenant(['create']);
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('gave the cluster') });
    expect(stderr).toContain('Instance is False (Timeout): no machine is free');
  });

  test('ends with its time, and says what it waited for', async () => {
    await using at = await signedIn({ gateway: { coming: [{ phase: 'Initializing' }] } });
    expect(await at.tenant(['create', '--wait-timeout', '1s'])).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/waited 1 s in vain .*: Initializing; repeat/),
    });
  });

  test('ends with a signal', async () => {
    await using at = await signedIn({ gateway: { coming: [{ phase: 'Initializing' }] } });
    const ended = at.tenant(['create'], {
      onStderr: (text) => text.includes('waits for') && at.signals.send?.(),
    });
    expect(await ended).toMatchObject({ code: 130 });
  });

  test('outlasts a gateway that is away for a moment', async () => {
    let answers = 0;
    await using at = await signedIn({
      gateway: {
        coming: [{ phase: 'Initializing' }, { phase: 'Ready' }],
        instead: ({ method, url }, response) => {
          const isAway = method === 'GET' && url.pathname.endsWith('/knotless-poc') && answers++ < 2;
          if (isAway) response.writeHead(502, { 'Content-Type': 'text/html' }).end('<html>');
          return isAway;
        },
      },
    });
    const { code, stderr } = await at.tenant(['create']);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('(status 502)') });
  });

  test('names a session that ended in mid-wait', async () => {
    await using at = await signedIn({ gateway: { coming: [{ phase: 'Initializing' }] } });
    const { code, stderr } = await at.tenant(['create'], {
      onStderr: (text) => text.includes('waits for') && at.gateway.endSessions(),
    });
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('no longer takes the session'),
    });
    expect(stderr).toContain('sign in again');
  });

  test('names a session whose time is over', async () => {
    await using at = await signedIn();
    const path = join(at.stateFolder, 'session.json');
    const kept = JSON.parse(await readText(path));
    await writeFile(path, JSON.stringify({ ...kept, expiresAt: '2020-01-01T00:00:00.000Z' }));
    at.gateway.endSessions();
    expect(await at.tenant(['create'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('ended at 2020-01-01T00:00:00.000Z'),
    });
  });

  test.each([
    ['a page of HTML', 200, 'answered with a page of HTML'],
    ['502', 502, 'down or not well (status 502)'],
  ])('%s from the gateway', async (_, status, message) => {
    await using at = await signedIn({
      gateway: {
        instead: ({ url }, response) => {
          if (url.pathname !== '/api/clusters') return false;
          response.writeHead(status, { 'Content-Type': 'text/html' }).end('<html></html>');
          return true;
        },
      },
    });
    expect(await at.tenant(['status'])).toMatchObject({ code: 3, stderr: expect.stringContaining(message) });
  });

  test('a gateway that is down', async () => {
    await using at = await signedIn();
    await at.gateway[Symbol.asyncDispose]();
    expect(await at.tenant(['status'])).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/the list of clusters: the connection to .* failed: .*ECONNREFUSED/),
    });
  });

  test('without a session, and with one of another gateway', async () => {
    await using at = await signedIn();
    const { code, stderr } = await at.tenant(['create', '--cluster', 'Not_A_Name']);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no name of a cluster'),
    });
    await using other = await stage();
    expect(await other.tenant(['create'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('not signed in'),
    });
    await mkdir(other.stateFolder, { recursive: true });
    await other.write('state/session.json', await readText(at.stateFolder, 'session.json'));
    expect(await other.tenant(['create'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('but at http'),
    });
  });
});

describe('a kubeconfig is not kept', () => {
  test.each([
    ['of another host', configOf('https://evil.example:6443'), "which is not the gateway's 127.0.0.1"],
    ['without TLS', configOf('http://10.0.0.1'), 'not https'],
    ['that trusts anybody', configOf(server, ', insecure-skip-tls-verify: true'), 'does not check'],
    ['through a proxy', configOf(server, ', proxy-url: "http://evil.example"'), 'through a proxy'],
    ['that runs a program', configOf(server, '', 'exec: {command: sh}'), 'would run a program'],
    ['that sends a file', configOf(server, '', 'tokenFile: /etc/passwd'), 'names a file'],
    ['without a context', 'apiVersion: v1\nkind: Config\n', 'no current context'],
    ['of HTML', '<html><body>sign in</body></html>', 'malformed'],
  ])('%s', async (_, text, message) => {
    await using at = await signedIn({ gateway: { kubeconfig: () => text } });
    await at.tenant(['create']);
    expect(await at.tenant(['kubeconfig'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(message),
    });
    expect(await at.stateFiles()).toEqual(['session.json 600']);
  });

  test('where the profile does not name its host', async () => {
    await using at = await signedIn({ gateway: { kubeconfig: () => configOf('https://api.example') } });
    await at.tenant(['create']);
    const profile = await at.write('profile.json', '{"kubeconfigHosts": ["api.example"]}');
    expect(await at.tenant(['kubeconfig', '--profile-file', profile])).toMatchObject({ code: 0 });
  });

  test('where the folder cannot be written', async () => {
    await using at = await signedIn();
    await at.tenant(['create']);
    await mkdir(join(at.stateFolder, 'knotless-poc.kubeconfig.yaml'));
    expect(await at.tenant(['kubeconfig'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('cannot be written'),
    });
    await chmod(at.stateFolder, 0o700);
  });
});

test('a gateway of another shape, by its profile', async () => {
  await using at = await stage();
  const profile = await at.write(
    'profile.json',
    JSON.stringify({
      sessionCookie: 'socialweb_session',
      clusters: {
        create: {
          method: 'POST',
          path: '/v2/make',
          body: { called: '{name}', of: '{did}', deep: [{ a: '{name}!' }] },
        },
        read: { path: '/v2/look/{name}' },
      },
      cluster: { phase: 'state', nodeExpiry: 'nodes.until', phases: { ready: 'up' } },
    }),
  );
  await using other = await stage({
    gateway: {
      instead: ({ method, url, body }, response) => {
        if (!url.pathname.startsWith('/v2/')) return false;
        if (method === 'POST') {
          const { did } = other.account;
          expect(JSON.parse(body)).toEqual({
            called: 'knotless-poc',
            of: did,
            deep: [{ a: 'knotless-poc!' }],
          });
        }
        response.writeHead(200).end('{"state": "up", "nodes": {"until": 1900000000}}');
        return true;
      },
    },
  });
  await other.signIn();
  const made = await other.tenant(['create', '--profile-file', profile]);
  expect(made).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('is up until 2030-03-17T17:46:40.000Z'),
  });
});

test.each([
  ['no JSON', 'not json', 'is no JSON'],
  ['an unknown key', '{"sesion": {}}', 'wrong at its top'],
  ['a path that is none', '{"callback": "auth"}', 'wrong at callback'],
  ['another version', '{"version": 2}', 'wrong at version'],
])('a profile with %s is refused', async (_, text, message) => {
  await using at = await stage();
  const profile = await at.write('profile.json', text);
  expect(await at.tenant(['status', '--profile-file', profile])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(message),
  });
});
