import { z } from 'zod';
import { RunnerError } from '../../base/errors.ts';
import { jsonOf } from '../web/json-answer.ts';
import { isLoopback, requireSafe } from '../web/safe-origin.ts';
import type { WebClient } from '../web/web-client.ts';

const documentSchema = z.object({
  id: z.string(),
  alsoKnownAs: z.array(z.string()).optional(),
  service: z.array(z.object({ id: z.string(), type: z.string(), serviceEndpoint: z.unknown() })).optional(),
});

export type DidDocument = z.output<typeof documentSchema>;

/** Looks a DID up where its method says: a did:plc in the directory, a did:web at its own host. */
export async function readDidDocument(
  did: string,
  plcDirectory: string,
  client: WebClient,
  signal: AbortSignal,
): Promise<DidDocument> {
  const asked = `the identity ${did}`;
  const url = did.startsWith('did:plc:') ? new URL(`${plcDirectory}/${did}`) : didWebUrl(did);
  const answer = await client.send({ method: 'GET', url, asked, signal });
  const document = jsonOf(answer, documentSchema, asked, client.clock.date());
  if (document.id === did) return document;
  throw new RunnerError('ProtocolViolation', `${asked}: ${url.host} told of another identity`);
}

function didWebUrl(did: string): URL {
  const host = did.slice('did:web:'.length).replace(/%3A/i, ':');
  const url = new URL(`https://${host}/.well-known/did.json`);
  if (isLoopback(url)) url.protocol = 'http:';
  return url;
}

/** The account's PDS. Throws where the document names none. */
export function pdsOfDocument(document: DidDocument): URL {
  const asked = `the identity ${document.id}`;
  const service = document.service?.find(
    ({ id, type }) =>
      (id === '#atproto_pds' || id === `${document.id}#atproto_pds`) && type === 'AtprotoPersonalDataServer',
  );
  if (typeof service?.serviceEndpoint !== 'string' || !URL.canParse(service.serviceEndpoint)) {
    throw new RunnerError('NotFound', `${asked} names no PDS; is the account deactivated or moved?`);
  }
  return requireSafe(new URL(service.serviceEndpoint), `the PDS of ${asked}`);
}

/** Whether the identity claims the handle too: anybody can point a handle at somebody's identity. */
export const claimsHandle = (document: DidDocument, handle: string): boolean =>
  document.alsoKnownAs?.some((name) => name.toLowerCase() === `at://${handle}`) ?? false;
