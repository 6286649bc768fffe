import { z } from 'zod';

/**
 * What a gateway is like: its address, its paths, the names of its cookie and its fields. The defaults are those
 * of a profile file that says nothing, so a file holds only what differs.
 */

const name = z.string().min(1).max(200);
const path = z.string().regex(/^\/[^\s?#]*$/, 'must be a path that begins with / and has neither ? nor #');
const address = z
  .string()
  .regex(
    /^https?:\/\/[^\s/?#@]+\/?$/,
    'must be an address without path, user and query, as https://gateway.example',
  )
  .transform((text) => text.replace(/\/$/, ''));
/** Where a value stands in an answer: names with dots between them; empty for the answer itself. */
const field = z
  .string()
  .regex(/^[\w-]*(\.[\w-]+)*$/, 'must be names with dots between them, as status.phase');
const method = z.enum(['GET', 'POST', 'PUT', 'DELETE']);

const request = (usualMethod: z.infer<typeof method>, usualPath: string) =>
  z.strictObject({ method: method.default(usualMethod), path: path.default(usualPath) });

const signIn = request('POST', '/auth/atproto/login').extend({
  handleField: name.default('handle').describe('the form field, or with GET the query parameter'),
});

const session = request('GET', '/api/session').extend({
  did: field.default('did'),
  handle: field.default('handle'),
  expiresAt: field.default('expiresAt').describe('an ISO date, or seconds since 1970'),
});

const clusters = z.strictObject({
  list: request('GET', '/api/clusters')
    .extend({ items: field.default('items').describe('not asked for where the answer is a list itself') })
    .prefault({}),
  create: request('PUT', '/api/clusters/{name}')
    .extend({
      body: z
        .record(z.string(), z.json())
        .default({
          apiVersion: 'socialweb.computer/v1alpha1',
          kind: 'Cluster',
          metadata: { name: '{name}' },
          spec: { account: '{did}', running: true },
        })
        .describe('the JSON to send; {name} and {did} in its texts are filled in'),
    })
    .prefault({}),
  read: request('GET', '/api/clusters/{name}').prefault({}),
  kubeconfig: request('GET', '/api/clusters/{name}/kubeconfig').prefault({}),
  delete: request('DELETE', '/api/clusters/{name}').prefault({}),
});

const cluster = z.strictObject({
  name: field.default('metadata.name'),
  account: field.default('spec.account'),
  phase: field.default('status.phase'),
  url: field.default('status.URL'),
  nodeExpiry: field
    .default('status.nodeExpiry')
    .describe('absent: no node; 0: a node without a limit; else when its node ends'),
  conditions: field.default('status.conditions').describe('a list of {type, status, reason, message}'),
  phases: z
    .strictObject({
      ready: name.default('Ready'),
      unavailable: name.default('Unavailable'),
      draining: name.default('Draining'),
    })
    .prefault({}),
});

const browser = z.strictObject({
  begin: path
    .default('/auth/atproto/login')
    .describe('opened in the browser, with the parameters that follow'),
  handleParameter: name.default('handle'),
  returnParameter: name.default('return_to').describe('the loopback address to come back to'),
  stateParameter: name.default('state').describe('comes back unchanged, beside codeParameter'),
  challengeParameter: name.default('code_challenge').describe('PKCE, S256'),
  codeParameter: name.default('code').describe('the one-time code that comes back'),
  exchange: request('POST', '/auth/session')
    .extend({
      codeField: name.default('code'),
      verifierField: name.default('code_verifier'),
    })
    .prefault({})
    .describe('a form with the code and its verifier; answers with the session cookie'),
});

export const profileSchema = z.strictObject({
  version: z.literal(1).default(1),
  gateway: address.default('https://socialweb.computer'),
  plcDirectory: address.default('https://plc.directory').describe('where a did:plc is looked up'),
  sessionCookie: name.default('socialweb_session'),
  callback: path.default('/auth/atproto/callback').describe('where the authorization server sends back to'),
  signIn: signIn.prefault({}),
  session: session.prefault({}),
  signOut: request('DELETE', '/api/session').prefault({}),
  clusters: clusters.prefault({}),
  cluster: cluster.prefault({}).describe('where the parts of a cluster object stand'),
  kubeconfigHosts: z
    .array(name)
    .default([])
    .describe('hosts that a kubeconfig may name beside the gateway itself'),
  browser: browser
    .nullable()
    .prefault({})
    .describe('how a browser hands the session over; null where the gateway cannot'),
});

export type GatewayProfile = z.output<typeof profileSchema>;
