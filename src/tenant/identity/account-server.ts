import { z } from 'zod';
import { RunnerError } from '../../base/errors.ts';
import type { AccountCredentials } from '../credentials/account-credentials.ts';
import { jsonOf } from '../web/json-answer.ts';
import { requireSafe } from '../web/safe-origin.ts';
import type { WebClient } from '../web/web-client.ts';
import { claimsHandle, pdsOfDocument, readDidDocument } from './did-document.ts';
import { type ResolveTxt, resolveHandle } from './resolve-handle.ts';

const resourceSchema = z.object({ authorization_servers: z.array(z.string()).length(1) });
const serverSchema = z.object({ issuer: z.string(), authorization_endpoint: z.string() });

/** The only place that the password may be sent to. */
export interface AccountServer {
  /** Undefined where the account's owner named the PDS, so that no identity was looked up. */
  readonly did: string | undefined;
  /** Where its sign-in page is; a sign-in that leads to any other is refused. */
  readonly authorizationEndpoint: URL;
}

export interface AccountServerRequest {
  readonly credentials: AccountCredentials;
  readonly client: WebClient;
  readonly plcDirectory: string;
  readonly resolveTxt: ResolveTxt;
  readonly signal: AbortSignal;
}

/**
 * The account's own authorization server, found without the gateway's help: handle, DID, PDS, and what the PDS
 * says of who signs in for it. An ATP_PDS_URL stands for the first two.
 */
export async function findAccountServer(request: AccountServerRequest): Promise<AccountServer> {
  const { credentials, client, signal } = request;
  const named = credentials.pdsUrl;
  const { did, pds } =
    named === undefined
      ? await lookUp(request)
      : { did: undefined, pds: requireSafe(named, 'the PDS that ATP_PDS_URL names') };
  return { did, authorizationEndpoint: await authorizationEndpointOf(pds, client, signal) };
}

async function lookUp({
  credentials,
  client,
  plcDirectory,
  resolveTxt,
  signal,
}: AccountServerRequest): Promise<{ readonly did: string; readonly pds: URL }> {
  const { identifier } = credentials;
  const isDid = identifier.startsWith('did:');
  const did = isDid ? identifier : await resolveHandle(identifier, client, resolveTxt, signal);
  const document = await readDidDocument(did, plcDirectory, client, signal);
  if (!isDid && !claimsHandle(document, identifier)) {
    throw new RunnerError(
      'NotFound',
      `the handle points to ${did}, but that identity does not claim it; check its spelling, or sign in by the DID`,
    );
  }
  return { did, pds: pdsOfDocument(document) };
}

async function authorizationEndpointOf(pds: URL, client: WebClient, signal: AbortSignal): Promise<URL> {
  const now = client.clock.date();
  const atPds = "the account's PDS";
  const resourceUrl = new URL('/.well-known/oauth-protected-resource', pds);
  const resource = jsonOf(
    await client.send({ method: 'GET', url: resourceUrl, asked: atPds, signal }),
    resourceSchema,
    atPds,
    now,
  );
  const atServer = "the account's authorization server";
  const issuer = urlOf(resource.authorization_servers[0], atServer);
  const serverUrl = new URL('/.well-known/oauth-authorization-server', issuer);
  const server = jsonOf(
    await client.send({ method: 'GET', url: serverUrl, asked: atServer, signal }),
    serverSchema,
    atServer,
    now,
  );
  const endpoint = urlOf(server.authorization_endpoint, atServer);
  if (urlOf(server.issuer, atServer).origin !== issuer.origin || endpoint.origin !== issuer.origin) {
    throw new RunnerError(
      'ProtocolViolation',
      `${atServer}: ${issuer.host} says of itself that it is another; the password was not sent`,
    );
  }
  return endpoint;
}

function urlOf(text: string | undefined, what: string): URL {
  if (text === undefined || !URL.canParse(text)) {
    throw new RunnerError('ProtocolViolation', `${what} has no usable address`);
  }
  return requireSafe(new URL(text), what);
}
