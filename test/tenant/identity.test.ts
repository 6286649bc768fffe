import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { findAccountServer } from '../../src/tenant/identity/account-server.ts';
import { WebClient } from '../../src/tenant/web/web-client.ts';
import { tempFolder } from '../kube/fixtures/temp-folder.ts';
import { testAuthority } from '../kube/fixtures/test-authority.ts';
import { type Asked, type SmallServer, sendJson, smallServer } from './support/small-server.ts';

const did = `did:plc:${'a'.repeat(24)}`;
const handle = 'name.example.test';
const { signal } = new AbortController();

/** One server that is directory, PDS and authorization server; what it says can be changed. */
let server: SmallServer;
let say: Record<string, unknown>;

beforeAll(async () => {
  server = await smallServer('localhost', ({ url }: Asked, response) => {
    const answer = say[url.pathname];
    if (typeof answer === 'string') response.writeHead(200, { 'Content-Type': 'text/html' }).end(answer);
    else sendJson(response, answer === undefined ? 404 : 200, answer ?? { error: 'NotFound' });
  });
});
afterAll(async () => server[Symbol.asyncDispose]());

const pds = (endpoint: string): object => ({
  id: '#atproto_pds',
  type: 'AtprotoPersonalDataServer',
  serviceEndpoint: endpoint,
});

function honest(): Record<string, unknown> {
  const { origin } = server;
  return {
    [`/${did}`]: { id: did, alsoKnownAs: [`at://${handle}`], service: [pds(origin)] },
    '/.well-known/oauth-protected-resource': { authorization_servers: [origin] },
    '/.well-known/oauth-authorization-server': {
      issuer: origin,
      authorization_endpoint: `${origin}/oauth/authorize`,
    },
  };
}

async function find(changes: Record<string, unknown>, records: readonly string[] = [`did=${did}`]) {
  say = { ...honest(), ...changes };
  const clock = systemClock();
  await using client = new WebClient({ clock, environment: {}, userAgent: 'test', trace: () => {} });
  return findAccountServer({
    credentials: { identifier: handle, password: randomBytes(8).toString('hex'), pdsUrl: undefined },
    client,
    plcDirectory: server.origin,
    resolveTxt: async (name) => {
      expect(name).toBe(`_atproto.${handle}`);
      return [['v=spf1'], ...records.map((record) => [record.slice(0, 9), record.slice(9)])];
    },
    signal,
  });
}

test('from the handle by DNS to the authorization server', async () => {
  const found = await find({});
  expect(found.did).toBe(did);
  expect(found.authorizationEndpoint.href).toBe(`${server.origin}/oauth/authorize`);
});

test('two DIDs in DNS are refused', async () => {
  const other = `did=did:plc:${'b'.repeat(24)}`;
  await expect(find({}, [`did=${did}`, other])).rejects.toThrow('more than one DID');
});

test.each([
  ['that does not claim the handle', { id: did, alsoKnownAs: ['at://other.example'] }, 'does not claim it'],
  ['that is another', { id: 'did:plc:other' }, 'told of another identity'],
  ['without a PDS', { id: did, alsoKnownAs: [`at://${handle}`] }, 'names no PDS'],
  [
    'with a PDS that is not encrypted',
    { id: did, alsoKnownAs: [`at://${handle}`], service: [pds('http://192.0.2.1')] },
    'not encrypted',
  ],
  ['of HTML', '<!doctype html>', 'a page of HTML'],
])('an identity %s', async (_, document, message) => {
  const error = await find({ [`/${did}`]: document }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ message: expect.stringContaining(message) });
  expect(error).toMatchObject({ message: expect.not.stringContaining(handle) });
});

test.each([
  ['none', { authorization_servers: [] }, 'another shape'],
  ['one that is not encrypted', { authorization_servers: ['http://192.0.2.1'] }, 'not encrypted'],
])('a PDS that names %s as its authorization server', async (_, resource, message) => {
  await expect(find({ '/.well-known/oauth-protected-resource': resource })).rejects.toThrow(message);
});

test.each([
  ['issuer', { issuer: 'https://other.example' }],
  ['page', { authorization_endpoint: 'https://other.example/oauth/authorize' }],
])('an authorization server whose %s is elsewhere', async (_, changes) => {
  const path = '/.well-known/oauth-authorization-server';
  const own = { issuer: server.origin, authorization_endpoint: `${server.origin}/oauth/authorize` };
  await expect(find({ [path]: { ...own, ...changes } })).rejects.toThrow('the password was not sent');
});

test('a certificate of nobody is refused, and one of a named authority is taken', async () => {
  const authority = await testAuthority();
  await using folder = await tempFolder();
  const ca = await folder.write('ca.pem', authority.pem);
  await using secure = await smallServer(
    'localhost',
    (_, response) => sendJson(response, 200, {}),
    await authority.issue(['localhost']),
  );
  const get = async (environment: NodeJS.ProcessEnv): Promise<number> => {
    await using client = new WebClient({
      clock: systemClock(),
      environment,
      userAgent: 'test',
      trace: () => {},
    });
    return (await client.send({ method: 'GET', url: new URL(secure.origin), asked: 'the gateway', signal }))
      .status;
  };
  await expect(get({})).rejects.toThrow(/was not accepted.*NODE_EXTRA_CA_CERTS/);
  expect(await get({ NODE_EXTRA_CA_CERTS: ca })).toBe(200);
});
